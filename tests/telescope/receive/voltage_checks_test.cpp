// SPDX-License-Identifier: Apache-2.0
// Expectations of made-up voltages: each passes where it holds, and fails where it does not.
#include "receive/voltage_checks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>  // cos, sin

#include "support/refusal.hpp"  // message_of
#include "wingbeat/error.hpp"   // plan_error

namespace {

using namespace wingbeat::receive;
using ::testing::HasSubstr;

constexpr channel_layout layout{.channels = 64, .channels_per_substream = 16, .spectra = 8};

/// Pol 0 has 100 in channel 20 and 50 in 21, pol 1 as much a radian later; else 1.
channel_batch tone() {
  channel_batch batch{.voltages = std::vector<std::byte>(layout.batch_bytes()),
                      .complete = std::vector<bool>(4, true)};
  std::size_t offset = 0;
  for (std::size_t k = 0; k < 64; ++k) {
    for (std::size_t s = 0; s < 8; ++s) {
      for (std::size_t p = 0; p < 2; ++p) {
        const double size = k == 20 ? 100 : k == 21 ? 50 : 1;
        const double angle = static_cast<double>(p) + (k == 20 ? 0.2 * static_cast<double>(s) : 0);
        const bool is_tone = k == 20 || k == 21;
        const double re = is_tone ? std::round(size * std::cos(angle)) : 1;
        const double im = is_tone ? std::round(size * std::sin(angle)) : 0;
        batch.voltages[offset++] = static_cast<std::byte>(static_cast<std::int8_t>(re));
        batch.voltages[offset++] = static_cast<std::byte>(static_cast<std::int8_t>(im));
      }
    }
  }
  return batch;
}

/// Returns the result of the last of these expectations.
check_result result_of(const std::vector<std::string>& texts) {
  std::vector<expectation> expected;
  for (const auto& text : texts) expected.push_back(parse_expectation(text));
  voltage_checks checks(expected, layout);
  checks.add(tone());
  heap_receive_counts counts;
  counts.substreams.resize(4, {.heaps = 5});
  counts.substreams[2] = {.heaps = 3, .incomplete = 1, .absent = 1};
  return checks.results(counts).back();
}

TEST(voltage_checks, pass_and_fail) {
  EXPECT_TRUE(result_of({"cw channel=20 pol=0 magnitude=100 tolerance=0.5"}).passes);
  EXPECT_TRUE(result_of({"cw channel=20 pol=1 magnitude=101 tolerance=1.5"}).passes);
  const auto off = result_of({"cw channel=20 pol=0 magnitude=104 tolerance=3"});
  EXPECT_FALSE(off.passes);
  EXPECT_THAT(off.sentence, HasSubstr("expected 104 +- 3"));
  EXPECT_FALSE(result_of({"cw channel=19 pol=0 magnitude=100 tolerance=3"}).passes);

  const std::string cw = "cw channel=20 pol=0 magnitude=100 tolerance=3";
  EXPECT_TRUE(result_of({cw, "floor pol=0 magnitude=1.1"}).passes);
  EXPECT_FALSE(result_of({cw, "floor pol=0 magnitude=1.1 guard=0"}).passes);
  EXPECT_FALSE(result_of({cw, "floor pol=0 magnitude=0.9"}).passes);
  EXPECT_FALSE(result_of({cw, "floor pol=1 magnitude=1.1"}).passes) << "the tone is of pol 0";
  EXPECT_TRUE(result_of({cw, "leakage pol=0 db=-39.9"}).passes);
  EXPECT_FALSE(result_of({cw, "leakage pol=0 db=-40.1"}).passes);
  EXPECT_THAT(result_of({cw, "leakage pol=0 db=-5 guard=0"}).sentence, HasSubstr("channel 21"));

  EXPECT_TRUE(result_of({"phase channel=20 radians=1 tolerance=0.01"}).passes);
  EXPECT_TRUE(result_of({"phase channel=20 radians=7.2831853 tolerance=0.01"}).passes);
  EXPECT_FALSE(result_of({"phase channel=20 radians=-1 tolerance=0.01"}).passes);
  EXPECT_FALSE(result_of({"lost most=1"}).passes);
  EXPECT_TRUE(result_of({"lost most=2"}).passes);
  EXPECT_TRUE(result_of({"heaps least=3"}).passes);
  EXPECT_FALSE(result_of({"heaps least=4"}).passes);
}

TEST(voltage_checks, are_the_same_of_other_samples) {
  channel_layout wide = layout;
  wide.samples = wingbeat::heap_sample::int16;
  channel_batch batch = tone(), wider = batch;
  wider.voltages.clear();
  for (const std::byte value : batch.voltages) {
    wider.voltages.push_back(value);
    const bool is_negative = (value & std::byte{0x80}) != std::byte{0};
    wider.voltages.push_back(is_negative ? std::byte{0xff} : std::byte{0});
  }
  const std::vector<expectation> expected{
      parse_expectation("cw channel=20 pol=1 magnitude=100 tolerance=3"),
      parse_expectation("floor pol=0 magnitude=1"), parse_expectation("leakage pol=1 db=-40"),
      parse_expectation("phase channel=20 radians=1 tolerance=1")};
  voltage_checks bytes(expected, layout), words(expected, wide);
  bytes.add(batch);
  words.add(wider);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(bytes.results({})[i].sentence, words.results({})[i].sentence);
  }
}

TEST(voltage_checks, fail_where_nothing_came) {
  for (const char* text :
       {"cw channel=0 pol=0 magnitude=0 tolerance=1", "floor pol=0 magnitude=9",
        "leakage pol=0 db=0", "phase channel=0 radians=0 tolerance=9", "heaps least=1"}) {
    const voltage_checks checks({parse_expectation(text)}, layout);
    EXPECT_FALSE(checks.results({}).at(0).passes) << text;
  }
}

TEST(voltage_checks, refuse_in_one_sentence) {
  const auto refusal_of = [](const char* text) -> std::string {
    return wingbeat::test::message_of<wingbeat::plan_error>(
        [&] { voltage_checks({parse_expectation(text)}, layout); });
  };
  EXPECT_THAT(refusal_of("tone pol=0"), HasSubstr("'tone' is no expectation; choose cw, floor"));
  EXPECT_THAT(refusal_of(""), HasSubstr("'' is no expectation"));
  EXPECT_THAT(refusal_of("cw pol=0 magnitude=1 tolerance=1"), HasSubstr("'cw' has no channel"));
  EXPECT_THAT(refusal_of("lost most=0 most=1"), HasSubstr("'most=1'"));
  EXPECT_THAT(refusal_of("lost least=0"), HasSubstr("'least=0' in an expectation of 'lost'"));
  EXPECT_THAT(refusal_of("lost most=x"), HasSubstr("'x' of an expectation is no number"));
  EXPECT_THAT(refusal_of("lost most=nan"), HasSubstr("'nan' of an expectation is no number"));
  EXPECT_THAT(refusal_of("lost most=-1"), HasSubstr("most=-1 of an expectation is not a whole"));
  EXPECT_THAT(refusal_of("lost most=0.5"), HasSubstr("most=0.5 of an expectation is not a whole"));
  EXPECT_THAT(refusal_of("heaps least=-1"), HasSubstr("least=-1 of an expectation is not a whole"));
  EXPECT_THAT(refusal_of("heaps least=2.5"), HasSubstr("least=2.5 of an expectation"));
  EXPECT_THAT(refusal_of("cw channel=1 pol=0 magnitude=1 tolerance=-1"),
              HasSubstr("tolerance=-1 of an expectation is below 0"));
  EXPECT_THAT(refusal_of("phase channel=1 radians=-1 tolerance=-0.5"),
              HasSubstr("tolerance=-0.5 of an expectation is below 0"));
  EXPECT_THAT(refusal_of("cw channel=1 pol=0 magnitude=-1 tolerance=1"),
              HasSubstr("magnitude=-1 of an expectation is below 0"));
  for (const char* text : {"lost most=0", "heaps least=0", "phase channel=1 radians=-1 tolerance=0",
                           "leakage pol=0 db=-60", "cw channel=1 pol=0 magnitude=0 tolerance=0"}) {
    EXPECT_EQ(refusal_of(text), "") << text;
  }
  EXPECT_THAT(refusal_of("floor pol=2 magnitude=1"), HasSubstr("pol=2"));
  EXPECT_THAT(refusal_of("floor pol=0.5 magnitude=1"), HasSubstr("pol=0.5"));
  EXPECT_THAT(refusal_of("cw channel=64 pol=0 magnitude=1 tolerance=1"),
              HasSubstr("channel 64 of polarisation 0 is expected, of 64 channels and 2 pol"));
}

}  // namespace
