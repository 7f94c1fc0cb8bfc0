// SPDX-License-Identifier: Apache-2.0
// Recordings are spelled out chunk by chunk.
#include "formats/signals/wav.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <limits>

#include "formats/message.hpp"  // as_bytes, little_endian, message_of

namespace {

using namespace wingbeat::formats;
using namespace wingbeat::test;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using wingbeat::formats::signal;  // not <csignal>'s

std::string chunk(std::string id, const std::string& body) {
  return id + little_endian(body.size(), 4) + body + std::string(body.size() % 2, '\0');
}

std::string riff(const std::string& chunks) {
  return "RIFF" + little_endian(chunks.size() + 4, 4) + "WAVE" + chunks;
}

struct layout {
  unsigned code = 1, n_channels = 1, rate_hz = 48000, bits = 16;
};

std::string format_body(layout format) {
  const unsigned frame_bytes = format.n_channels * format.bits / 8;
  return little_endian(format.code, 2) + little_endian(format.n_channels, 2) +
         little_endian(format.rate_hz, 4) + little_endian(format.rate_hz * frame_bytes, 4) +
         little_endian(frame_bytes, 2) + little_endian(format.bits, 2);
}

std::string wav(layout format, const std::string& data) {
  return riff(chunk("fmt ", format_body(format)) + chunk("data", data));
}

std::string extensible(layout format, unsigned code, unsigned valid_bits, const std::string& data) {
  format.code = 0xFFFE;
  const std::string guid_rest("\0\0\0\0\x10\0\x80\0\0\xAA\0\x38\x9B\x71", 14);
  return riff(chunk("fmt ", format_body(format) + little_endian(22, 2) +
                                little_endian(valid_bits, 2) + little_endian(0, 4) +
                                little_endian(code, 2) + guid_rest) +
              chunk("data", data));
}

signal read(const std::string& content, std::size_t channel = 0) {
  return read_wav(as_bytes(content), "in.wav", channel);
}

std::string refusal(const std::string& content) {
  return message_of([&] { (void)read(content); });
}

std::string f4(float value) {
  return little_endian(std::bit_cast<std::uint32_t>(value), 4);
}
std::string f8(double value) {
  return little_endian(std::bit_cast<std::uint64_t>(value), 8);
}

TEST(wav, scales_pcm_to_one) {
  const auto of16 =
      read(wav({}, little_endian(0x8000, 2) + little_endian(0x7FFF, 2) + little_endian(0xFFFF, 2)));
  EXPECT_THAT(of16.samples, ElementsAre(-1.0, 32767 / 32768.0, -1 / 32768.0));
  const auto of24 = read(wav({.bits = 24}, little_endian(0x800000, 3) + little_endian(1, 3)));
  EXPECT_THAT(of24.samples, ElementsAre(-1.0, 0x1p-23));
  const auto of32 = read(wav({.bits = 32}, little_endian(0x80000000, 4) + little_endian(1, 4)));
  EXPECT_THAT(of32.samples, ElementsAre(-1.0, 0x1p-31));
  EXPECT_TRUE(of16.is_real && of16.is_single_precision && of24.is_single_precision);
  EXPECT_FALSE(of32.is_single_precision);
}

TEST(wav, reads_8_bits_unsigned) {
  const auto of8 = read(wav({.bits = 8}, std::string("\x00\x80\x81\xFF", 4)));
  EXPECT_THAT(of8.samples, ElementsAre(-1.0, 0.0, 1 / 128.0, 127 / 128.0));
  EXPECT_TRUE(of8.is_real && of8.is_single_precision);
  const auto stereo = wav({.n_channels = 2, .bits = 8}, "\xC0\x40");
  EXPECT_THAT(read(stereo).samples, ElementsAre(0.5));
  EXPECT_THAT(read(stereo, 1).samples, ElementsAre(-0.5));
  EXPECT_THAT(read(extensible({.bits = 8}, 1, 8, "\xC0")).samples, ElementsAre(0.5));
}

/// A recording whose writer could not go back to fill in the sizes.
std::string streamed(std::uint64_t riff_size, std::uint64_t data_size, const std::string& data) {
  return "RIFF" + little_endian(riff_size, 4) + "WAVE" + chunk("LIST", "odd") +
         chunk("fmt ", format_body({.n_channels = 2})) + "data" + little_endian(data_size, 4) +
         data;
}

TEST(wav, reads_streams_to_their_end) {
  const auto frames = little_endian(0x4000, 2) + little_endian(1, 2) + little_endian(0xC000, 2) +
                      little_endian(2, 2);
  for (const std::uint64_t riff_size : {0u, 0xFFFFFFFFu}) {
    for (const std::uint64_t data_size : {0u, 0xFFFFFFFFu, 8u}) {
      EXPECT_THAT(read(streamed(riff_size, data_size, frames)).samples, ElementsAre(0.5, -0.5));
    }
    // The recording was cut; what is there of its last frame is dropped.
    for (std::size_t n_bytes = 4; n_bytes < 8; ++n_bytes) {
      const auto cut = streamed(riff_size, 0xFFFFFFFF, frames.substr(0, n_bytes));
      EXPECT_THAT(read(cut).samples, ElementsAre(0.5)) << n_bytes;
    }
  }
}

TEST(wav, reads_what_a_writer_left_that_ended_early) {
  const auto frames = little_endian(0x4000, 2) + little_endian(1, 2);
  const std::string header = "RIFF" + little_endian(36, 4) + "WAVE" +
                             chunk("fmt ", format_body({.n_channels = 2})) + "data" +
                             little_endian(0, 4);
  EXPECT_THAT(read(header + frames).samples, ElementsAre(0.5));
  EXPECT_THAT(refusal(header), HasSubstr("holds no samples"));
}

TEST(wav, refuses_streams_without_samples_or_format) {
  for (const std::uint64_t size : {0u, 0xFFFFFFFFu}) {
    EXPECT_THAT(refusal(streamed(size, size, "")), HasSubstr("holds no samples"));
    EXPECT_THAT(refusal(streamed(size, size, "abc")), HasSubstr("holds no samples"));
    EXPECT_THAT(refusal(streamed(size, 12, "abcd")), HasSubstr("claims 12 bytes but 4 follow"));
    EXPECT_THAT(refusal("RIFF" + little_endian(size, 4) + "WAVE"), HasSubstr("no 'fmt ' chunk"));
    // Data first: all that follows is data.
    EXPECT_THAT(refusal("RIFF" + little_endian(size, 4) + "WAVEdata" + little_endian(size, 4) +
                        chunk("fmt ", format_body({}))),
                HasSubstr("no 'fmt ' chunk"));
  }
  // A writer that knew the size of the file knew that of the data as well.
  EXPECT_THAT(refusal(wav({}, "")), HasSubstr("holds no samples"));
}

TEST(wav, reads_floats_as_they_are) {
  EXPECT_THAT(read(wav({.code = 3, .bits = 32}, f4(0.25f) + f4(-3))).samples,
              ElementsAre(0.25, -3.0));
  EXPECT_THAT(read(wav({.code = 3, .bits = 64}, f8(0.1))).samples, ElementsAre(0.1));
}

TEST(wav, chooses_a_channel_and_tells_the_rate) {
  const auto stereo = wav({.n_channels = 2, .rate_hz = 8000, .bits = 24},
                          little_endian(0x100000, 3) + little_endian(0x200000, 3) +
                              little_endian(0x300000, 3) + little_endian(0x400000, 3));
  EXPECT_THAT(read(stereo).samples, ElementsAre(0.125, 0.375));
  EXPECT_THAT(read(stereo, 1).samples, ElementsAre(0.25, 0.5));
  EXPECT_EQ(read(stereo).n_channels, 2u);
  EXPECT_EQ(read(stereo).sample_rate_hz, 8000);
  const auto message = message_of<wingbeat::plan_error>([&] { (void)read(stereo, 2); });
  EXPECT_THAT(message, HasSubstr("in.wav has no channel 2; choose one from 0 to 1"));
}

TEST(wav, reads_the_extensible_format) {
  EXPECT_THAT(read(extensible({.bits = 32}, 1, 24, little_endian(0x40000000, 4))).samples,
              ElementsAre(0.5));
  EXPECT_THAT(read(extensible({.bits = 32}, 3, 32, f4(0.5f))).samples, ElementsAre(0.5));
}

TEST(wav, skips_other_chunks_and_their_padding) {
  const auto file = riff(chunk("LIST", "odd") + chunk("fmt ", format_body({})) + chunk("junk", "") +
                         chunk("data", little_endian(0x4000, 2)) + chunk("note", "x"));
  EXPECT_THAT(read(file).samples, ElementsAre(0.5));
}

TEST(wav, accepts_odd_data_without_padding) {
  const auto body = chunk("fmt ", format_body({.bits = 24})) + "data" + little_endian(3, 4) +
                    little_endian(0x400000, 3);
  EXPECT_THAT(read(riff(body)).samples, ElementsAre(0.5));
  EXPECT_THAT(read(riff(body) + '\0').samples, ElementsAre(0.5));
}

TEST(wav, refuses_every_truncation) {
  const auto whole = wav({}, little_endian(1, 2) + little_endian(2, 2));
  for (std::size_t n = 0; n < whole.size(); ++n) {
    EXPECT_FALSE(refusal(whole.substr(0, n)).empty()) << n;
  }
  EXPECT_THAT(refusal("RIFF"), HasSubstr("in.wav: has 4 bytes, fewer than a .wav header"));
  EXPECT_THAT(refusal(whole.substr(0, whole.size() - 1)),
              HasSubstr("truncated or damaged: its header claims 40 bytes but 39 follow"));
}

TEST(wav, refuses_other_files) {
  EXPECT_THAT(refusal("RIFX" + wav({}, "ab").substr(4)), HasSubstr("starts with 'RIFX'"));
  EXPECT_THAT(refusal("RIFF" + little_endian(4, 4) + "AVI "), HasSubstr("not a RIFF WAVE"));
}

TEST(wav, refuses_wrong_sizes) {
  EXPECT_THAT(refusal(wav({}, "ab") + "more"), HasSubstr("has 4 bytes after the"));
  EXPECT_THAT(refusal("RIFF" + little_endian(3, 4) + "WAVE"), HasSubstr("claims 3 bytes"));
  const auto lie = chunk("fmt ", format_body({})) + "data" + little_endian(0xFFFFFFFF, 4) + "ab";
  EXPECT_THAT(refusal(riff(lie)), HasSubstr("'data' chunk claims 4294967295 bytes but 2 follow"));
  const auto small_lie = chunk("fmt ", format_body({})) + "data" + little_endian(4, 4) + "ab";
  EXPECT_THAT(refusal(riff(small_lie)), HasSubstr("'data' chunk claims 4 bytes but 2 follow"));
  EXPECT_THAT(refusal(riff("fmt \1")), HasSubstr("ends inside a chunk header"));
  EXPECT_THAT(refusal(wav({}, "abc")), HasSubstr("3 bytes of samples, which is no multiple"));
  EXPECT_THAT(refusal(riff(chunk("fmt ", format_body({}).substr(0, 14)) + chunk("data", "ab"))),
              HasSubstr("'fmt ' chunk of 14 bytes"));
  auto frame = format_body({});
  frame[12] = 3;
  EXPECT_THAT(refusal(riff(chunk("fmt ", frame) + chunk("data", "ab"))),
              HasSubstr("claims 3 bytes a frame"));
}

TEST(wav, refuses_missing_or_double_chunks) {
  EXPECT_THAT(refusal(riff(chunk("data", "ab"))), HasSubstr("has no 'fmt ' chunk"));
  EXPECT_THAT(refusal(riff(chunk("fmt ", format_body({})))), HasSubstr("has no 'data' chunk"));
  EXPECT_THAT(refusal(riff(chunk("data", "ab") + chunk("data", "ab"))),
              HasSubstr("two 'data' chunks"));
  EXPECT_THAT(refusal(wav({}, "")), HasSubstr("holds no samples"));
}

TEST(wav, refuses_impossible_formats) {
  EXPECT_THAT(refusal(wav({.n_channels = 0}, "ab")), HasSubstr("has no channels"));
  EXPECT_THAT(refusal(wav({.rate_hz = 0}, "ab")), HasSubstr("sample rate of 0 Hz"));
  for (const auto format : {layout{.bits = 0}, layout{.bits = 12}, layout{.bits = 20},
                            layout{.bits = 40}, layout{.code = 3, .bits = 8},
                            layout{.code = 3, .bits = 16}, layout{.code = 2}, layout{.code = 6}}) {
    EXPECT_THAT(refusal(wav(format, "ab")), HasSubstr("are read, so convert it")) << format.code;
  }
}

TEST(wav, refuses_impossible_extensible_formats) {
  EXPECT_THAT(refusal(wav({.code = 0xFFFE}, "ab")), HasSubstr("chunk of 16 bytes, 40 are needed"));
  EXPECT_THAT(refusal(extensible({}, 1, 17, "ab")), HasSubstr("17 valid bits in samples of 16"));
  EXPECT_THAT(refusal(extensible({}, 0x55, 16, "ab")), HasSubstr("coding 85"));
  auto other_guid = extensible({}, 1, 16, "ab");
  other_guid[12 + 8 + 39] ^= 1;
  EXPECT_THAT(refusal(other_guid), HasSubstr("unknown coding"));
}

TEST(wav, refuses_nan_and_infinity_with_their_place) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float inf = std::numeric_limits<float>::infinity();
  EXPECT_THAT(refusal(wav({.code = 3, .bits = 32}, f4(0) + f4(nan))),
              HasSubstr("sample 1 of channel 0 is NaN"));
  EXPECT_THAT(refusal(wav({.code = 3, .bits = 32}, f4(inf))),
              HasSubstr("sample 0 of channel 0 is infinite"));
}

}  // namespace
