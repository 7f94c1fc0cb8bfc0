// SPDX-License-Identifier: Apache-2.0
// Mark 5B files, made byte by byte.
#include "formats/voltages/format.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/message.hpp"         // message_of
#include "formats/voltages/bytes.hpp"  // mark5b_frame
#include "formats/voltages/read.hpp"   // read_mark5b

namespace {

using namespace wingbeat::test;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using namespace wingbeat::formats;

constexpr std::uint32_t day_821_second_19801 = 0x82119801;

voltages read(const file_bytes& content, const voltage_options& options) {
  return read_mark5b(content, "x.m5b", options);
}

// The lower of two bits is the sign; of one bit, 1 is the negative level.
TEST(mark5b, has_levels_of_1_and_2_bits) {
  const file_bytes content = mark5b_frame(day_821_second_19801, 0, 0xFFFFE4E4);
  const voltages two = read(content, {.n_channels = 4});
  EXPECT_EQ(two.n_samples, 10000U);
  EXPECT_EQ(two.n_channels, 4U);
  for (std::size_t c = 0; c < 4; ++c) {
    const std::int16_t level[] = {-3, 1, -1, 3};
    EXPECT_EQ(two.samples[c * 10000], level[c]);
    EXPECT_EQ(two.samples[c * 10000 + 2], 3);
  }
  const voltages bits = read(content, {.n_channels = 32, .sample_bits = 1});
  EXPECT_EQ(bits.n_samples, 2500U);
  EXPECT_EQ(bits.samples[0], 1);
  EXPECT_EQ(bits.samples[2 * 2500], -1);
}

TEST(mark5b, has_frames_at_their_times) {
  const auto frame = [](unsigned second, unsigned number) {
    return mark5b_frame(0x82119800 + second, number, 0x01010101 * number);
  };
  const file_bytes content = frame(1, 2) + frame(2, 1);
  const voltages found = read(content, {.sample_rate_hz = 3 * 5000, .n_channels = 8});
  EXPECT_THAT(found.present, ElementsAre(std::vector<bool>{true, false, true}));
  EXPECT_EQ(found.sample_rate_hz, 15000);
  EXPECT_EQ(found.start, std::nullopt) << "the day has three digits";
  const auto near = [&](double mjd) {
    return read(content, {.sample_rate_hz = 3 * 5000, .n_channels = 8, .near_mjd = mjd}).start;
  };
  EXPECT_EQ(near(56800.5)->day_mjd, 56821);
  EXPECT_EQ(near(57100)->day_mjd, 56821);
  EXPECT_DOUBLE_EQ(near(56800.5)->second, 19801 + 2 / 3.);
}

TEST(mark5b, reads_what_is_whole_beside_a_damaged_frame) {
  file_bytes damaged = mark5b_frame(day_821_second_19801, 1, 0);
  damaged[8] = std::byte{0xAA};
  const voltages found = read(
      mark5b_frame(day_821_second_19801, 0, 0) + damaged + mark5b_frame(day_821_second_19801, 2, 0),
      {.n_channels = 1});
  EXPECT_THAT(found.present, ElementsAre(std::vector<bool>{true, false, true}));
  EXPECT_THAT(found.remarks, ElementsAre(HasSubstr("damaged header at frame 1")));
}

TEST(mark5b, is_refused_in_one_sentence) {
  const auto why = [](const voltage_options& options) {
    return message_of(
        [&] { static_cast<void>(read(mark5b_frame(day_821_second_19801, 0, 0), options)); });
  };
  EXPECT_THAT(why({}), HasSubstr("does not state its channels; give them by --file-channels"));
  EXPECT_THAT(why({.n_channels = 3}), HasSubstr("3 channels of 2 bits are given; give 1 or 2"));
  EXPECT_THAT(why({.n_channels = 32}), HasSubstr("32 channels of 2 bits are given"));
  EXPECT_THAT(why({.n_channels = 1, .sample_bits = 4}), HasSubstr("1 channels of 4 bits"));
}

}  // namespace
