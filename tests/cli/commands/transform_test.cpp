// SPDX-License-Identifier: Apache-2.0
// Label: cli
// Timeout: 300
// What `wingbeat transform` says of a recording: engines, peaks, charts, JSON.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>    // sin
#include <cstdint>  // uint16_t
#include <numbers>  // pi
#include <set>
#include <string>

#include "cli/program.hpp"      // workplace, json_of
#include "formats/message.hpp"  // little_endian

namespace {

using namespace wingbeat::test;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr int sample_rate_hz = 8000;

/// Returns a stereo recording of 16 bit: 1 kHz at half scale on the left, 2.5 kHz on the right.
std::string stereo_wav(int n_frames) {
  std::string data;
  for (int i = 0; i < n_frames; ++i) {
    for (const double tone_hz : {1000.0, 2500.0}) {
      const double x = 0.5 * std::sin(2 * std::numbers::pi * tone_hz * i / sample_rate_hz);
      data += little_endian(static_cast<std::uint16_t>(std::lround(32767 * x)), 2);
    }
  }
  return "RIFF" + little_endian(36 + data.size(), 4) + "WAVEfmt " + little_endian(16, 4) +
         little_endian(1, 2) + little_endian(2, 2) + little_endian(sample_rate_hz, 4) +
         little_endian(sample_rate_hz * 4, 4) + little_endian(4, 2) + little_endian(16, 2) +
         "data" + little_endian(data.size(), 4) + data;
}

class transform_report : public ::testing::Test {
 protected:
  transform_report() { at_.file("tone.wav", stereo_wav(1024)); }

  workplace at_;
};

TEST_F(transform_report, lists_every_engine_that_is_here) {
  const auto devices = json_of(at_.run({"devices", "--json"}));
  const finished run = at_.run({"transform", "tone.wav", "--json"});
  ASSERT_EQ(run.code, 0) << run.err;
  const auto document = json_of(run);
  EXPECT_EQ(document["schema"], "wingbeat.transform/1");
  std::set<std::string> listed, ran;
  for (const auto& device : devices["devices"]) listed.insert(device["engine"]);
  for (const auto& engine : document["engines"]) {
    ran.insert(engine["engine"]);
    EXPECT_TRUE(engine["agrees"]) << engine;
    EXPECT_EQ(engine["n_off"], 0);
    EXPECT_EQ(engine["n_values"], 513) << "the others mirror them";
    EXPECT_GT(engine["execution_s"], 0);
    EXPECT_GE(engine["runs"], 1);
    EXPECT_LE(engine["runs"], 5);
    EXPECT_GT(engine["first_run_s"], 0);
    EXPECT_GT(engine["plan_s"], 0);
    EXPECT_LE(engine["relative_l2"], engine["relative_l2_bound"]);
  }
  EXPECT_EQ(listed, ran);
}

TEST_F(transform_report, knows_the_frequency_of_a_tone) {
  const finished run = at_.run({"transform", "tone.wav", "--top", "1", "--json"});
  const auto document = json_of(run);
  EXPECT_THAT(run.err, HasSubstr("2 channels; channel 0 is taken"));
  EXPECT_EQ(document["sample_rate_hz"], sample_rate_hz);
  ASSERT_EQ(document["top"].size(), 1);
  EXPECT_EQ(document["top"][0]["bin"], 128);
  EXPECT_EQ(document["top"][0]["frequency_hz"], 1000);
  EXPECT_NEAR(document["top"][0]["magnitude"].get<double>(), 0.25 * 1024, 0.05);
}

TEST_F(transform_report, takes_the_channel_and_the_rate_it_is_told) {
  const auto document = json_of(at_.run({"transform", "tone.wav", "--channel", "1", "--top", "1",
                                         "--sample-rate", "16000", "--json"}));
  EXPECT_EQ(document["top"][0]["bin"], 320);
  EXPECT_EQ(document["top"][0]["frequency_hz"], 5000);
}

TEST_F(transform_report, shows_a_negative_frequency_of_a_complex_signal) {
  std::string text;
  for (int j = 0; j < 16; ++j)
    text += j % 4 == 0 ? "1 0\n" : (j % 4 == 1 ? "0 -1\n" : (j % 4 == 2 ? "-1 0\n" : "0 1\n"));
  at_.file("turning.txt", text);
  const auto document = json_of(
      at_.run({"transform", "turning.txt", "--top", "1", "--sample-rate", "100", "--json"}));
  EXPECT_EQ(document["top"][0]["bin"], 12);
  EXPECT_EQ(document["top"][0]["frequency_hz"], -25);
}

TEST_F(transform_report, prints_a_table_on_stdout_and_messages_on_stderr) {
  const finished run =
      at_.run({"transform", "tone.wav", "--engine", "host,reference", "--top", "3"});
  EXPECT_EQ(run.code, 0);
  EXPECT_THAT(run.out, HasSubstr("verdict"));
  EXPECT_THAT(run.out, HasSubstr("\nhost "));
  EXPECT_THAT(run.out, HasSubstr("frequency (Hz)"));
  EXPECT_THAT(run.out, Not(HasSubstr("wingbeat:")));
  EXPECT_THAT(run.err, Not(HasSubstr("verdict")));
}

TEST_F(transform_report, prints_values_alone_where_they_go_to_stdout) {
  const std::vector<std::string> common{"transform", "tone.wav", "--engine", "host",
                                        "--top",     "3",        "--output"};
  const auto run_with = [&](std::vector<std::string> rest) {
    rest.insert(rest.begin(), common.begin(), common.end());
    return at_.run(rest);
  };
  ASSERT_EQ(run_with({"values.txt"}).code, 0);
  for (const std::string output : {"-", "/dev/stdout", "/dev/fd/1"}) {
    const finished run = run_with({output});
    EXPECT_EQ(run.code, 0) << run.err;
    EXPECT_EQ(run.out, at_.folder().read("values.txt"));
    EXPECT_THAT(run.err, HasSubstr("verdict"));
    EXPECT_THAT(run.err, HasSubstr("frequency (Hz)"));
    const finished refused = run_with({output, "--json"});
    EXPECT_EQ(refused.code, 2);
    EXPECT_THAT(refused.err, HasSubstr("both print on stdout"));
    EXPECT_EQ(refused.out, "");
  }
}

TEST_F(transform_report, names_stdin_in_its_headings) {
  const finished rows = run_with_stdin(at_, {"transform", "-", "--engine", "host"}, "1\n2\n3\n");
  EXPECT_THAT(rows.out, HasSubstr("stdin: forward_from_real of length"));
  const finished powers =
      run_with_stdin(at_, {"transform", "-", "--engine", "host", "--psd"}, "1\n2\n3\n");
  EXPECT_THAT(powers.out, HasSubstr("stdin: power spectral density"));
}

TEST_F(transform_report, draws_a_png) {
  const finished run = at_.run({"transform", "tone.wav", "--engine", "host", "--plot", "s.png"});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(at_.folder().read("s.png").substr(1, 3), "PNG");
}

TEST_F(transform_report, says_what_was_checked_and_leaves_the_reference_out_where_it_takes_long) {
  at_.file("long.wav", stereo_wav(1 << 17));
  const finished run = at_.run({"transform", "long.wav", "--channel", "0", "--json"});
  ASSERT_EQ(run.code, 0) << run.err;
  const auto document = json_of(run);
  EXPECT_EQ(document["check"], "sample");
  EXPECT_THAT(run.err, HasSubstr("the engine reference, in long double, is left out"));
  for (const auto& engine : document["engines"]) {
    EXPECT_NE(engine["engine"], "reference");
    EXPECT_TRUE(engine["agrees"]);
    EXPECT_LT(engine["n_values"], 1 << 15);
  }
  EXPECT_EQ(json_of(at_.run({"transform", "tone.wav", "--json"}))["check"], "full");
  const finished none =
      at_.run({"transform", "tone.wav", "--engine", "host", "--check", "none", "--json"});
  EXPECT_TRUE(json_of(none)["engines"][0]["agrees"].is_null());
  EXPECT_EQ(json_of(none)["checked"], "nothing");
  const finished refused = at_.run({"transform", "tone.wav", "--check", "some"});
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err, HasSubstr("choose full, sample or none"));
}

TEST_F(transform_report, names_a_file_that_is_not_utf8) {
  const std::string name = at_.file("caf\xe9.txt", "1\n2\n");
  const finished run = at_.run({"transform", name, "--engine", "host", "--json"});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(json_of(run)["rows"], 1);
}

}  // namespace
