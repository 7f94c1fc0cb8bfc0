// SPDX-License-Identifier: Apache-2.0
// VDIF files, made byte by byte.
#include "formats/voltages/format.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>  // fill_n

#include "formats/message.hpp"         // message_of
#include "formats/voltages/bytes.hpp"  // vdif_frame
#include "formats/voltages/read.hpp"   // read_vdif

namespace {

using namespace wingbeat::test;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using namespace wingbeat::formats;

const std::vector<int> counted{0, 1, 2, 3, 4, 5, 6, 7};

std::string why(const file_bytes& content, const voltage_options& options = {}) {
  return message_of([&] { static_cast<void>(read_vdif(content, "x.vdif", options)); });
}

std::vector<std::int16_t> samples_of(const vdif_header& header, const std::vector<int>& payload) {
  const voltages read = read_vdif(vdif_frame(header, payload), "x.vdif");
  EXPECT_EQ(read.sample_bits, header.bits);
  EXPECT_EQ(read.is_complex, header.is_complex);
  return read.samples;
}

TEST(vdif, has_samples_of_1_2_4_8_and_16_bits) {
  const auto bits = samples_of({.bits = 1}, {0x05, 0, 0, 0, 0, 0, 0, 0x80});
  EXPECT_THAT(std::vector(bits.begin(), bits.begin() + 4), ElementsAre(1, -1, 1, -1));
  EXPECT_EQ(bits[63], 1);
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

TEST(vdif, has_the_upper_half_of_32_bits) {
  const voltages read = read_vdif(
      vdif_frame({.bits = 32}, {9, 9, 1, 0x80, 9, 9, 0xFF, 0x7F, 0, 0, 0, 0, 255, 255, 255, 255}),
      "x.vdif");
  EXPECT_EQ(read.sample_bits, 32U);
  EXPECT_THAT(read.samples, ElementsAre(1, -1, -32768, 32767));
  EXPECT_THAT(read.remarks, ElementsAre(HasSubstr("of which the upper 16 are read")));
}

// Of VDIF that was Mark 5B, the lower of two bits is the sign.
TEST(vdif, has_samples_of_mark_5b) {
  vdif_header header{.bits = 2, .extended = {0xabu << 24, 0, 0, 0}};
  auto samples = samples_of(header, {0xE4, 0, 0, 0, 0, 0, 0, 0});
  EXPECT_THAT(std::vector(samples.begin(), samples.begin() + 4), ElementsAre(-3, 1, -1, 3));
  header.bits = 1;
  samples = samples_of(header, {0x05, 0, 0, 0, 0, 0, 0, 0});
  EXPECT_THAT(std::vector(samples.begin(), samples.begin() + 4), ElementsAre(-1, 1, -1, 1));
}

TEST(vdif, states_its_start) {
  const auto start_of = [](const vdif_header& header, const voltage_options& options = {}) {
    return read_vdif(vdif_frame(header, counted), "x.vdif", options).start;
  };
  // Half a year is from 1 January 2015 on, or from 1 July.
  EXPECT_EQ(start_of({.second = 86400 + 7, .epoch = 30})->day_mjd, 57024);
  EXPECT_EQ(start_of({.second = 86400 + 7, .epoch = 30})->second, 7);
  EXPECT_EQ(start_of({.epoch = 31})->day_mjd, 57204);
  EXPECT_EQ(start_of({.number = 3}), std::nullopt) << "without a rate";
  EXPECT_DOUBLE_EQ(start_of({.number = 3}, {.sample_rate_hz = 32})->second, 0.75);
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
      read_vdif(frame_at(5, 2) + frame_at(6, 0), "x.vdif", {.sample_rate_hz = 32});
  // The rate tells the frames of a second whose last one was lost.
  EXPECT_THAT(given.present, ElementsAre(std::vector<bool>{true, false, true}));
  EXPECT_EQ(given.sample_rate_hz, 32);
  EXPECT_EQ(given.first_packet, 5 * 4 + 2U);
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

vdif_header extended(unsigned version, std::uint32_t rate, bool is_complex = false) {
  return {.is_complex = is_complex, .extended = {version << 24 | rate, 0xacabfeed, 0, 0}};
}

constexpr std::uint32_t in_mhz = 1u << 23;

TEST(vdif, states_its_rate_in_extended_headers) {
  const auto rate_of = [](const vdif_header& header) {
    return read_vdif(vdif_frame(header, counted), "x.vdif").sample_rate_hz;
  };
  EXPECT_EQ(rate_of(extended(3, 16 | in_mhz)), 32e6) << "the rate of complex samples";
  EXPECT_EQ(rate_of(extended(3, 16 | in_mhz, true)), 16e6);
  EXPECT_EQ(rate_of(extended(1, 4000, true)), 4e6);
  EXPECT_EQ(rate_of(extended(2, 16 | in_mhz)), 0) << "no rate stands there";
  EXPECT_EQ(rate_of(extended(0, 16 | in_mhz)), 0);
  EXPECT_EQ(rate_of({.is_legacy = true}), 0);
}

// Of reals, headers 1 state samples a second, or the bandwidth: numbers of frames may tell.
TEST(vdif, says_what_it_takes_an_ambiguous_rate_for) {
  vdif_header header = extended(1, 8);  // 1,000 frames a second, or 2,000
  const voltages low = read_vdif(vdif_frame(header, counted), "x.vdif");
  EXPECT_EQ(low.sample_rate_hz, 8e3);
  EXPECT_THAT(low.remarks, ElementsAre(HasSubstr("rate of 8000 is taken for samples a second")));
  EXPECT_THAT(
      read_vdif(vdif_frame(header, counted), "x.vdif", {.sample_rate_hz = 16e3}).remarks.size(), 0);
  header.number = 1000;
  const voltages high = read_vdif(vdif_frame(header, counted), "x.vdif");
  EXPECT_EQ(high.sample_rate_hz, 16e3);
  EXPECT_EQ(high.remarks.size(), 0U);
}

TEST(vdif, leaves_out_channels_that_a_mask_marks_invalid) {
  const auto frame = [](unsigned number, std::uint32_t mask) {
    return vdif_frame({.number = number,
                       .channels_log2 = 2,
                       .extended = {4u << 24 | 2u << 16, 0xacabfeed, mask, 0}},
                      counted);
  };
  const file_bytes content =
      frame(0, 3) + frame(1, 1) + frame(2, 2);  // of channels 0 and 1, 2 and 3
  const auto present = [&](std::optional<std::size_t> channel) {
    return read_vdif(content, "x.vdif", {.channel = channel}).present[0];
  };
  EXPECT_EQ(present({}), (std::vector<bool>{true, false, false}));
  EXPECT_EQ(present(1), (std::vector<bool>{true, true, false}));
  EXPECT_EQ(present(2), (std::vector<bool>{true, false, true}));
  EXPECT_THAT(read_vdif(vdif_frame(extended(7, 0), counted), "x.vdif").remarks,
              ElementsAre("has extended headers 7, which are not known and not read"));
  EXPECT_EQ(read_vdif(vdif_frame(extended(0xab, 0), counted), "x.vdif").remarks.size(), 0U);
}

TEST(vdif, has_the_threads_that_are_asked_for) {
  file_bytes content;
  for (unsigned thread : {1u, 3u, 5u, 7u}) {
    for (unsigned number : {0u, 1u}) {
      content = content + vdif_frame({.number = number, .thread = thread},
                                     std::vector<int>(8, static_cast<int>(128 + thread)));
    }
  }
  EXPECT_THAT(why(content), HasSubstr("has 4 threads, 1, 3 to 7; give one or two of them by"));
  const voltages read = read_vdif(content, "x.vdif", {.threads = {5, 1}});
  EXPECT_EQ(read.n_polarisations, 2U);
  EXPECT_EQ(read.samples[0], 5);
  EXPECT_EQ(read.samples[16], 1);
  EXPECT_EQ(read.remarks.size(), 0U);
  EXPECT_THAT(why(content, {.threads = {4}}), HasSubstr("has no frame of thread 4"));
}

/// Frames 0 to 9 of one second.
std::vector<file_bytes> ten_frames() {
  std::vector<file_bytes> frames;
  for (unsigned i = 0; i < 10; ++i) {
    frames.push_back(
        vdif_frame({.second = 7, .number = i}, std::vector<int>(8, 128 + static_cast<int>(i))));
  }
  return frames;
}

file_bytes joined_frames(const std::vector<file_bytes>& frames) {
  file_bytes content;
  for (const file_bytes& each : frames) content = content + each;
  return content;
}

// One flaw is said, and the rest is read as it is without it.
TEST(vdif, reads_what_is_whole_beside_one_flaw) {
  const voltages whole = read_vdif(joined_frames(ten_frames()), "x.vdif");
  ASSERT_EQ(whole.n_samples, 80U);
  const auto expect_without = [&](std::size_t missing, const std::vector<file_bytes>& frames,
                                  const std::string& remark) {
    const voltages read = read_vdif(joined_frames(frames), "x.vdif");
    ASSERT_THAT(read.remarks,
                ElementsAre(HasSubstr("1 frame of the file is left out; the first: " + remark)));
    for (std::size_t i = 0; i < read.n_samples; ++i) {
      ASSERT_EQ(read.samples[i], i / 8 == missing ? 0 : whole.samples[i]) << remark << i;
    }
    ASSERT_EQ(read.n_samples, missing == 9 ? 72U : 80U) << remark;
  };
  std::vector<file_bytes> frames = ten_frames();
  frames[9].resize(20);
  expect_without(9, frames, "ends inside the header of frame 9");
  frames[9] = ten_frames()[9];
  frames[9].pop_back();
  expect_without(9, frames, "is truncated: frame 9 claims 40 bytes but 39 follow");
  frames = ten_frames();
  frames[4] = file_bytes(40, std::byte{0x44});
  expect_without(4, frames, "has samples of 18 bits in frame 4");
  frames[4] = vdif_frame({.second = 7, .number = 4, .is_invalid = true, .epoch = 31}, counted);
  expect_without(4, frames, "has frame 4 of another size, shape or epoch");
  frames[4] = vdif_frame({.second = 7, .number = 3}, counted);
  expect_without(4, frames, "frame 3 of second 7 of thread 0 is there twice");
  frames[4] = vdif_frame({.second = 1000000, .number = 4}, counted);
  expect_without(4, frames, "frame 4 of second 1000000 of thread 0 is far");
  frames[4] = vdif_frame({.second = 7, .number = 16777215}, counted);
  expect_without(4, frames, "frame 16777215 of second 7 of thread 0 is far");
}

// Frames whose extended header states another rate than most, the first among them.
TEST(vdif, leaves_out_frames_of_another_rate) {
  for (const unsigned odd : {0u, 4u}) {
    std::vector<file_bytes> frames;
    for (unsigned i = 0; i < 10; ++i) {
      vdif_header header = extended(3, i == odd ? 32 : 16);
      header.number = i;
      frames.push_back(vdif_frame(header, counted));
    }
    const voltages read = read_vdif(joined_frames(frames), "x.vdif");
    EXPECT_EQ(read.sample_rate_hz, 32e3);
    EXPECT_EQ(read.n_samples, odd == 0 ? 72U : 80U);
    EXPECT_THAT(read.remarks, ElementsAre(HasSubstr("1 frame of the file is left out")));
    EXPECT_THAT(read.remarks[0],
                HasSubstr(std::to_string(odd) + " of second 0 of thread 0 states another"));
  }
}

TEST(vdif, reads_frames_behind_a_damaged_first_one_and_stray_bytes) {
  std::vector<file_bytes> frames = ten_frames();
  const voltages whole = read_vdif(joined_frames(frames), "x.vdif");
  const file_bytes stray(50, std::byte{0xFF});
  frames[5] = stray + frames[5];
  const voltages between = read_vdif(joined_frames(frames), "x.vdif");
  EXPECT_EQ(between.samples, whole.samples);
  EXPECT_THAT(between.remarks, ElementsAre(HasSubstr("50 bytes before frame 5 belong to none")));
  frames = ten_frames();
  std::fill_n(frames[0].begin(), 32, std::byte{0xFF});
  const voltages behind = read_vdif(joined_frames(frames), "x.vdif");
  EXPECT_THAT(behind.remarks, ElementsAre(HasSubstr("claims 2^31 channels in frame 0")));
  EXPECT_EQ(behind.samples, std::vector(whole.samples.begin() + 8, whole.samples.end()));
}

TEST(vdif, leaves_out_a_thread_of_few_frames) {
  std::vector<file_bytes> frames = ten_frames();
  for (unsigned i = 10; i < 40; ++i)
    frames.push_back(vdif_frame({.second = 7, .number = i}, counted));
  frames[4] = vdif_frame({.second = 7, .number = 4, .thread = 900}, counted);
  const voltages read = read_vdif(joined_frames(frames), "x.vdif");
  EXPECT_EQ(read.n_polarisations, 1U);
  EXPECT_FALSE(read.present[0][4]);
  EXPECT_THAT(read.remarks,
              ElementsAre(HasSubstr("frame 4 of second 7 of thread 900 is of a thread with few")));
}

// A valid frame replaces one that is marked invalid.
TEST(vdif, takes_the_valid_one_of_two_frames) {
  const auto twin = [](bool is_invalid) { return vdif_frame({.is_invalid = is_invalid}, counted); };
  for (const file_bytes& content : {twin(true) + twin(false), twin(false) + twin(true)}) {
    const voltages read = read_vdif(content, "x.vdif");
    EXPECT_TRUE(read.present[0][0]);
    EXPECT_EQ(read.samples[7], 7 - 128);
    EXPECT_EQ(read.remarks.size(), 0U);
  }
}

TEST(vdif, is_known_by_its_content) {
  const auto frame = [](unsigned number, unsigned epoch = 30) {
    return vdif_frame({.number = number, .epoch = epoch}, std::vector<int>(4096, 128));
  };
  const auto is_known = [](const file_bytes& content) {
    return is_vdif(std::span(content).first(std::min<std::size_t>(content.size(), 1 << 17)),
                   content.size());
  };
  const file_bytes two = frame(0) + frame(1);
  EXPECT_TRUE(is_known(two));
  EXPECT_TRUE(is_known(two + file_bytes(100)));
  EXPECT_TRUE(is_known(frame(0) + file_bytes(4128, std::byte{0x44}) + frame(2)));
  EXPECT_FALSE(is_known(frame(0) + frame(1, 31)));
  EXPECT_FALSE(is_known(file_bytes(8192, std::byte{0x11})));
}

TEST(vdif, is_refused_in_one_sentence) {
  const file_bytes good = vdif_frame({}, counted);
  EXPECT_EQ(why({}), "x.vdif: is empty; copy or record it again");
  EXPECT_THAT(why(file_bytes(15)), HasSubstr("ends inside the header of frame 0"));
  file_bytes cut = good;
  cut.pop_back();
  EXPECT_EQ(why(cut),
            "x.vdif: is truncated: frame 0 claims 40 bytes but 39 follow; copy or record it again");
  EXPECT_THAT(why(vdif_frame({.bits = 3}, counted)),
              HasSubstr("samples of 3 bits in frame 0; 1, 2, 4, 8, 16 and 32"));
  EXPECT_THAT(why(vdif_frame({}, {})), HasSubstr("hold no whole samples"));
  EXPECT_THAT(why(vdif_frame({.bits = 16, .channels_log2 = 16}, counted)),
              HasSubstr("hold no whole samples of 65536 channels"));
  EXPECT_THAT(why(vdif_frame({.channels_log2 = 31}, counted)), HasSubstr("claims 2^31 channels"));
  const file_bytes other = vdif_frame({.number = 1, .bits = 4}, counted);
  EXPECT_THAT(why(good + other + other), HasSubstr("frame 1 of another size, shape or epoch"));
  EXPECT_THAT(why(good + vdif_frame({.thread = 1}, counted) + vdif_frame({.thread = 2}, counted)),
              HasSubstr("has 3 threads, 0, 1 and 2"));
  EXPECT_THAT(
      why(good + vdif_frame({.second = 1000000000, .number = 1}, counted)),
      HasSubstr("has 2 frames, 1 of which are far from the time of others; split the file"));
  EXPECT_THAT(why(vdif_frame({.number = 4}, counted), {.sample_rate_hz = 32}),
              HasSubstr("has 4 frames a second by its rate, and 1 of 1 frames have higher"));
  EXPECT_THAT(why(good, {.sample_rate_hz = 33}),
              HasSubstr("frames of 8 samples, of which 33 samples a second make no whole number"));
}

}  // namespace
