// SPDX-License-Identifier: Apache-2.0
// VDIF files, made byte by byte.
#include "formats/voltages/vdif.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/message.hpp"         // message_of
#include "formats/voltages/bytes.hpp"  // vdif_frame

namespace {

using namespace wingbeat::test;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using namespace wingbeat::formats;

const std::vector<int> counted{0, 1, 2, 3, 4, 5, 6, 7};

std::string why(const file_bytes& content, const vdif_options& options = {}) {
  return message_of([&] { static_cast<void>(read_vdif(content, "x.vdif", options)); });
}

std::vector<std::int16_t> samples_of(const vdif_header& header, const std::vector<int>& payload) {
  const voltages read = read_vdif(vdif_frame(header, payload), "x.vdif");
  EXPECT_EQ(read.sample_bits, header.bits);
  EXPECT_EQ(read.is_complex, header.is_complex);
  return read.samples;
}

TEST(vdif, has_samples_of_2_4_8_and_16_bits) {
  // The first sample lies in the lowest bits.
  const auto two = samples_of({.bits = 2}, {0xE4, 0x1B, 0, 0, 0, 0, 0, 0xFF});
  ASSERT_EQ(two.size(), 32u);
  EXPECT_THAT(std::vector(two.begin(), two.begin() + 9),
              ElementsAre(-3, -1, 1, 3, 3, 1, -1, -3, -3));
  EXPECT_EQ(two[31], 3);
  const auto four = samples_of({.bits = 4}, {0x80, 0xF7, 0, 0, 0, 0, 0, 0});
  EXPECT_THAT(std::vector(four.begin(), four.begin() + 5), ElementsAre(-8, 0, -1, 7, -8));
  EXPECT_THAT(samples_of({.bits = 8}, {0, 0x80, 0xFF, 0x7F, 0x81, 0x80, 0x80, 0x80}),
              ElementsAre(-128, 0, 127, -1, 1, 0, 0, 0));
  EXPECT_THAT(samples_of({.bits = 16}, {0, 0, 0, 0x80, 0xFF, 0xFF, 0x01, 0x80}),
              ElementsAre(-32768, 0, 32767, 1));
}

TEST(vdif, has_channels_of_complex_samples) {
  const voltages read = read_vdif(vdif_frame({.bits = 8, .channels_log2 = 1, .is_complex = true},
                                             {128, 129, 130, 131, 132, 133, 134, 135}),
                                  "x.vdif");
  EXPECT_EQ(read.n_channels, 2u);
  EXPECT_EQ(read.n_samples, 2u);
  EXPECT_EQ(read.packet_samples, 2u);
  EXPECT_THAT(read.samples, ElementsAre(0, 1, 4, 5, 2, 3, 6, 7));
}

TEST(vdif, has_a_polarisation_a_thread_in_any_order) {
  const auto frame_at = [](unsigned number, unsigned thread, int value) {
    return vdif_frame({.second = 9, .number = number, .thread = thread, .bits = 16},
                      {value, 0x80, 0, 0x80, 0, 0x80, 0, 0x80});
  };
  const voltages read = read_vdif(frame_at(5, 7, 1) + frame_at(4, 7, 2) + frame_at(4, 3, 3) +
                                      frame_at(7, 3, 4) + frame_at(6, 3, 5),
                                  "x.vdif");
  EXPECT_EQ(read.n_polarisations, 2u);
  EXPECT_EQ(read.n_samples, 16u);
  EXPECT_EQ(read.samples[0], 3) << "thread 3 is the first polarisation";
  EXPECT_EQ(read.samples[8], 5);
  EXPECT_EQ(read.samples[12], 4);
  EXPECT_EQ(read.samples[16], 2);
  EXPECT_EQ(read.samples[20], 1);
  EXPECT_THAT(read.present, ElementsAre(std::vector<bool>{true, false, true, true},
                                        std::vector<bool>{true, true, false, false}));
}

TEST(vdif, goes_on_over_seconds) {
  const auto frame_at = [](unsigned second, unsigned number) {
    return vdif_frame({.second = second, .number = number, .is_legacy = true}, counted);
  };
  // Three frames a second, from the last one of second 5 on.
  const voltages read = read_vdif(
      frame_at(5, 2) + frame_at(6, 0) + frame_at(6, 1) + frame_at(6, 2) + frame_at(7, 1), "x.vdif");
  EXPECT_EQ(read.n_samples, 6 * 8u);
  EXPECT_THAT(read.present, ElementsAre(std::vector<bool>{true, true, true, true, false, true}));
  EXPECT_EQ(read.sample_rate_hz, 0);
  const voltages given =
      read_vdif(frame_at(5, 2) + frame_at(6, 0), "x.vdif", {.frames_per_second = 4});
  EXPECT_THAT(given.present, ElementsAre(std::vector<bool>{true, false, true}));
  EXPECT_EQ(given.sample_rate_hz, 32);
  // The rate tells the frames of a second whose last one was lost.
  const voltages timed =
      read_vdif(frame_at(5, 2) + frame_at(6, 0), "x.vdif", {.sample_rate_hz = 32});
  EXPECT_EQ(timed.present, given.present);
  EXPECT_EQ(timed.first_packet, 5 * 4 + 2U);
  EXPECT_EQ(read.first_packet, std::nullopt);
}

TEST(vdif, flags_frames_that_are_invalid) {
  const auto frame = [](unsigned number, bool is_invalid) {
    return vdif_frame({.number = number, .is_invalid = is_invalid}, counted);
  };
  const voltages read = read_vdif(frame(0, false) + frame(1, true), "x.vdif");
  EXPECT_THAT(read.present, ElementsAre(std::vector<bool>{true, false}));
  EXPECT_EQ(read.samples[7], 7 - 128);
  EXPECT_EQ(read.samples[8], 0);
}

TEST(vdif, is_refused_in_one_sentence) {
  const file_bytes good = vdif_frame({}, counted);
  EXPECT_EQ(why({}), "x.vdif: is empty; copy or record it again");
  EXPECT_THAT(why(file_bytes(15)), HasSubstr("ends inside the header of frame 0"));
  EXPECT_THAT(why(good + file_bytes(7)), HasSubstr("ends inside the header of frame 1"));
  file_bytes cut = good;
  cut.pop_back();
  EXPECT_EQ(why(cut),
            "x.vdif: is truncated: frame 0 claims 40 bytes but 39 follow; copy or record it again");
  EXPECT_THAT(why(file_bytes(32)), HasSubstr("samples of 1 bits in frame 0; 2, 4, 8 and 16"));
  EXPECT_THAT(why(vdif_frame({}, {})), HasSubstr("hold no whole samples"));
  EXPECT_THAT(why(vdif_frame({.bits = 16, .channels_log2 = 16}, counted)),
              HasSubstr("hold no whole samples of 65536 channels"));
  EXPECT_THAT(why(vdif_frame({.channels_log2 = 31}, counted)), HasSubstr("claims 2^31 channels"));
  EXPECT_THAT(why(good + vdif_frame({.number = 1, .bits = 4}, counted)),
              HasSubstr("frame 1 of another size, shape or epoch"));
  EXPECT_THAT(why(good + good), HasSubstr("frame 0 of second 0 of thread 0 twice"));
  EXPECT_THAT(why(good + vdif_frame({.thread = 1}, counted) + vdif_frame({.thread = 2}, counted)),
              HasSubstr("more than two threads, 0, 1 and 2"));
  EXPECT_THAT(why(good + vdif_frame({.second = 1000000000, .number = 1}, counted)),
              HasSubstr("split the file at the gap"));
  EXPECT_THAT(why(good + vdif_frame({.number = 16777215}, counted)),
              HasSubstr("2 frames within the time of 16777216"));
  EXPECT_THAT(why(vdif_frame({.number = 4}, counted), {.frames_per_second = 4}),
              HasSubstr("number 4, but 4 frames in a second"));
  EXPECT_THAT(why(good, {.sample_rate_hz = 33}),
              HasSubstr("frames of 8 samples, of which 33 samples a second make no whole number"));
}

}  // namespace
