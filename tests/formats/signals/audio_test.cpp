// SPDX-License-Identifier: Apache-2.0
// Recordings of WAV are spelled out chunk by chunk; other formats are in audio_write_test.cpp.
#include "formats/signals/format.hpp"

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
using namespace std::string_literals;
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

std::string recording(layout format, const std::string& data) {
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
  return open_audio(std::make_shared<byte_source>(as_bytes(content), "in.wav"))->read_all(channel);
}

std::string refusal(const std::string& content) {
  return message_of([&] { (void)read(content); });
}

class wav : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!has_audio_library()) GTEST_SKIP() << "this build has no libsndfile";
  }
};

std::string f4(float value) {
  return little_endian(std::bit_cast<std::uint32_t>(value), 4);
}
std::string f8(double value) {
  return little_endian(std::bit_cast<std::uint64_t>(value), 8);
}

TEST_F(wav, scales_pcm_to_one) {
  const auto of16 = read(recording(
      {}, little_endian(0x8000, 2) + little_endian(0x7FFF, 2) + little_endian(0xFFFF, 2)));
  EXPECT_THAT(of16.samples, ElementsAre(-1.0, 32767 / 32768.0, -1 / 32768.0));
  const auto of24 = read(recording({.bits = 24}, little_endian(0x800000, 3) + little_endian(1, 3)));
  EXPECT_THAT(of24.samples, ElementsAre(-1.0, 0x1p-23));
  const auto of32 =
      read(recording({.bits = 32}, little_endian(0x80000000, 4) + little_endian(1, 4)));
  EXPECT_THAT(of32.samples, ElementsAre(-1.0, 0x1p-31));
  EXPECT_TRUE(of16.is_real && of16.is_single_precision && of24.is_single_precision);
  EXPECT_FALSE(of32.is_single_precision);
}

TEST_F(wav, reads_8_bits_unsigned) {
  const auto of8 = read(recording({.bits = 8}, std::string("\x00\x80\x81\xFF", 4)));
  EXPECT_THAT(of8.samples, ElementsAre(-1.0, 0.0, 1 / 128.0, 127 / 128.0));
  EXPECT_TRUE(of8.is_real && of8.is_single_precision);
  const auto stereo = recording({.n_channels = 2, .bits = 8}, "\xC0\x40");
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

TEST_F(wav, reads_streams_to_their_end) {
  const auto frames = little_endian(0x4000, 2) + little_endian(1, 2) + little_endian(0xC000, 2) +
                      little_endian(2, 2);
  // sox 14.4 leaves 0x7FFFF000 and 36 more, rounded to frames; lame 3.100 0x7FFFFFFF and 36 more.
  for (const std::uint64_t riff_size : {0u, 0xFFFFFFFFu, 0x7FFFF024u, 0x80000023u}) {
    for (const std::uint64_t data_size :
         {0u, 0xFFFFFFFFu, 0x7FFFEFFCu, 0x7FFFF000u, 0x7FFFFFFFu, 8u}) {
      EXPECT_THAT(read(streamed(riff_size, data_size, frames)).samples, ElementsAre(0.5, -0.5));
    }
    // The recording was cut; what is there of its last frame is dropped.
    for (std::size_t n_bytes = 4; n_bytes < 8; ++n_bytes) {
      const auto cut = streamed(riff_size, 0xFFFFFFFF, frames.substr(0, n_bytes));
      EXPECT_THAT(read(cut).samples, ElementsAre(0.5)) << n_bytes;
    }
  }
}

TEST_F(wav, reads_streams_to_the_chunks_behind_them) {
  const auto frames = little_endian(0x4000, 2) + little_endian(1, 2) + little_endian(0xC000, 2) +
                      little_endian(2, 2);
  const std::string list = chunk("LIST", "INFOISFT" + little_endian(4, 4) + "Lavf");
  for (const std::string& behind : {list, list + chunk("id3 ", "odd"), chunk("bext", "x") + list,
                                    list.substr(0, list.size() - 3) + "more"}) {
    for (const std::uint64_t size : {0u, 0xFFFFFFFFu}) {
      const bool is_whole = !behind.ends_with("more");
      EXPECT_EQ(read(streamed(size, size, frames + behind)).row_length,
                is_whole ? 2 : (frames.size() + behind.size()) / 4);
    }
  }
}

TEST_F(wav, reads_what_a_writer_left_that_ended_early) {
  const auto frames = little_endian(0x4000, 2) + little_endian(1, 2);
  const std::string header = "RIFF" + little_endian(36, 4) + "WAVE" +
                             chunk("fmt ", format_body({.n_channels = 2})) + "data" +
                             little_endian(0, 4);
  EXPECT_THAT(read(header + frames).samples, ElementsAre(0.5));
  EXPECT_THAT(refusal(header), HasSubstr("holds no samples"));
}

TEST_F(wav, reads_a_writer_that_ended_early_behind_other_chunks) {
  const std::string head = "WAVE" + chunk("LIST", "odd") + chunk("fmt ", format_body({})) + "data";
  const std::string file = "RIFF" + little_endian(head.size() + 4, 4) + head + little_endian(0, 4);
  EXPECT_THAT(read(file + little_endian(0x4000, 2)).samples, ElementsAre(0.5));
}

TEST_F(wav, reads_rifx_and_64_bit_sizes) {
  const auto big = [](std::uint64_t value, int n_bytes) {
    const std::string bytes = little_endian(value, n_bytes);
    return std::string(bytes.rbegin(), bytes.rend());
  };
  const auto rifx = [&](unsigned code, unsigned bits, const std::string& data) {
    const unsigned n_bytes = bits / 8;
    return "RIFX" + big(36 + data.size(), 4) + "WAVEfmt " + big(16, 4) + big(code, 2) + big(1, 2) +
           big(8000, 4) + big(8000 * n_bytes, 4) + big(n_bytes, 2) + big(bits, 2) + "data" +
           big(data.size(), 4) + data;
  };
  EXPECT_THAT(read(rifx(1, 16, big(0x4000, 2) + big(0xC000, 2))).samples, ElementsAre(0.5, -0.5));
  EXPECT_THAT(read(rifx(1, 24, big(0x400000, 3) + big(0xC00000, 3))).samples,
              ElementsAre(0.5, -0.5));
  EXPECT_THAT(read(rifx(3, 32, big(std::bit_cast<std::uint32_t>(-3.0f), 4))).samples,
              ElementsAre(-3.0));
  EXPECT_EQ(read(rifx(1, 16, "ab")).sample_rate_hz, 8000);
  const auto long_file = [](const std::string& form, std::uint64_t data_bytes) {
    return form + little_endian(0xFFFFFFFF, 4) + "WAVE" +
           chunk("ds64", little_endian(100, 8) + little_endian(data_bytes, 8) +
                             little_endian(2, 8) + little_endian(0, 4)) +
           chunk("fmt ", format_body({})) + "data" + little_endian(0xFFFFFFFF, 4) +
           little_endian(0x4000, 2) + little_endian(0xC000, 2);
  };
  EXPECT_THAT(read(long_file("RF64", 4) + chunk("LIST", "more")).samples, ElementsAre(0.5, -0.5));
  EXPECT_THAT(read(long_file("BW64", 2)).samples, ElementsAre(0.5));
  EXPECT_THAT(refusal(long_file("RF64", 6)), HasSubstr("claims 6 bytes but 4 follow"));
}

TEST_F(wav, takes_the_upper_bits_of_what_a_sample_is_stored_in) {
  const auto held = [](unsigned bits, unsigned n_bytes, const std::string& data) {
    const std::string format = little_endian(1, 2) + little_endian(1, 2) + little_endian(8000, 4) +
                               little_endian(8000 * n_bytes, 4) + little_endian(n_bytes, 2) +
                               little_endian(bits, 2);
    return riff(chunk("fmt ", format) + chunk("data", data));
  };
  EXPECT_THAT(read(held(12, 2, little_endian(0x4000, 2) + little_endian(0xFFF0, 2))).samples,
              ElementsAre(0.5, -16 / 32768.0));
  EXPECT_THAT(read(held(20, 3, little_endian(0xC00000, 3))).samples, ElementsAre(-0.5));
  EXPECT_THAT(read(held(24, 4, little_endian(0x40000000, 4) + little_endian(0x100, 4))).samples,
              ElementsAre(0.5, 0x1p-23));
  EXPECT_THAT(read(held(6, 1, "\xC0")).samples, ElementsAre(0.5));
  EXPECT_THAT(refusal(held(16, 4, "abcd")), HasSubstr("claims 4 bytes a frame"));
}

TEST_F(wav, skips_what_lies_behind_the_data) {
  const std::string two = little_endian(0x4000, 2) + little_endian(0xC000, 2);
  const std::string whole = recording({}, two);
  for (const std::string& behind : {"more"s, "x"s, std::string(1000, '\0'), whole}) {
    EXPECT_THAT(read(whole + behind).samples, ElementsAre(0.5, -0.5));
  }
  // A chunk behind the data is cut, which the file's size counts.
  const std::string listed =
      riff(chunk("fmt ", format_body({})) + chunk("data", two) + chunk("LIST", "INFO and more"));
  for (std::size_t n = listed.size() - 22; n < listed.size(); ++n) {
    EXPECT_THAT(read(listed.substr(0, n)).samples, ElementsAre(0.5, -0.5)) << n;
  }
}

TEST_F(wav, refuses_chunks_whose_padding_is_left_out) {
  const std::string odd = "LIST" + little_endian(3, 4) + "odd";
  const auto body = chunk("fmt ", format_body({})) + odd + chunk("data", little_endian(0x4000, 2));
  EXPECT_THAT(refusal(riff(body)), HasSubstr("has no 'data' chunk"));
  const auto padded = chunk("fmt ", format_body({})) + odd + 'x' + chunk("data", "\0\x40"s);
  EXPECT_THAT(read(riff(padded)).samples, ElementsAre(0.5));
}

TEST_F(wav, refuses_streams_without_samples_or_format) {
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
  EXPECT_THAT(refusal(recording({}, "")), HasSubstr("holds no samples"));
}

TEST_F(wav, reads_floats_as_they_are) {
  EXPECT_THAT(read(recording({.code = 3, .bits = 32}, f4(0.25f) + f4(-3))).samples,
              ElementsAre(0.25, -3.0));
  EXPECT_THAT(read(recording({.code = 3, .bits = 64}, f8(0.1))).samples, ElementsAre(0.1));
}

TEST_F(wav, chooses_a_channel_and_tells_the_rate) {
  const auto stereo = recording({.n_channels = 2, .rate_hz = 8000, .bits = 24},
                                little_endian(0x100000, 3) + little_endian(0x200000, 3) +
                                    little_endian(0x300000, 3) + little_endian(0x400000, 3));
  EXPECT_THAT(read(stereo).samples, ElementsAre(0.125, 0.375));
  EXPECT_THAT(read(stereo, 1).samples, ElementsAre(0.25, 0.5));
  EXPECT_EQ(read(stereo).n_channels, 2u);
  EXPECT_EQ(read(stereo).sample_rate_hz, 8000);
}

TEST_F(wav, reads_the_extensible_format) {
  EXPECT_THAT(read(extensible({.bits = 32}, 1, 24, little_endian(0x40000000, 4))).samples,
              ElementsAre(0.5));
  EXPECT_THAT(read(extensible({.bits = 32}, 3, 32, f4(0.5f))).samples, ElementsAre(0.5));
}

TEST_F(wav, skips_other_chunks_and_their_padding) {
  const auto file = riff(chunk("LIST", "odd") + chunk("fmt ", format_body({})) + chunk("junk", "") +
                         chunk("data", little_endian(0x4000, 2)) + chunk("note", "x"));
  EXPECT_THAT(read(file).samples, ElementsAre(0.5));
}

TEST_F(wav, accepts_odd_data_without_padding) {
  const auto body = chunk("fmt ", format_body({.bits = 24})) + "data" + little_endian(3, 4) +
                    little_endian(0x400000, 3);
  EXPECT_THAT(read(riff(body)).samples, ElementsAre(0.5));
  EXPECT_THAT(read(riff(body) + '\0').samples, ElementsAre(0.5));
}

TEST_F(wav, refuses_every_truncation) {
  const auto whole = recording({}, little_endian(1, 2) + little_endian(2, 2));
  for (std::size_t n = 0; n < whole.size(); ++n) {
    EXPECT_FALSE(refusal(whole.substr(0, n)).empty()) << n;
  }
  EXPECT_THAT(refusal("RIFF"), HasSubstr("in.wav: has 4 bytes, fewer than a .wav header"));
  EXPECT_THAT(refusal(whole.substr(0, whole.size() - 1)),
              HasSubstr("is truncated: its 'data' chunk claims 4 bytes but 3 follow"));
}

TEST_F(wav, refuses_other_files) {
  EXPECT_THAT(refusal("RIFF" + little_endian(4, 4) + "WEBP"), HasSubstr("not a RIFF WAVE"));
  EXPECT_THAT(refusal("RIFF" + little_endian(4, 4) + "AVI "), HasSubstr("not a RIFF WAVE"));
}

TEST_F(wav, refuses_wrong_sizes) {
  const auto lie = chunk("fmt ", format_body({})) + "data" + little_endian(0xFFFFFFFF, 4) + "ab";
  EXPECT_THAT(refusal(riff(lie)), HasSubstr("'data' chunk claims 4294967295 bytes but 2 follow"));
  const auto small_lie = chunk("fmt ", format_body({})) + "data" + little_endian(4, 4) + "ab";
  EXPECT_THAT(refusal(riff(small_lie)), HasSubstr("'data' chunk claims 4 bytes but 2 follow"));
  EXPECT_THAT(refusal(riff("fmt \1")), HasSubstr("ends inside a chunk header"));
  EXPECT_THAT(refusal(recording({}, "abc")), HasSubstr("3 bytes of samples, which is no multiple"));
  EXPECT_THAT(refusal(riff(chunk("fmt ", format_body({}).substr(0, 14)) + chunk("data", "ab"))),
              HasSubstr("'fmt ' chunk of 14 bytes"));
  auto frame = format_body({});
  frame[12] = 3;
  EXPECT_THAT(refusal(riff(chunk("fmt ", frame) + chunk("data", "ab"))),
              HasSubstr("claims 3 bytes a frame"));
}

TEST_F(wav, refuses_missing_chunks) {
  EXPECT_THAT(refusal(riff(chunk("data", "ab"))), HasSubstr("has no 'fmt ' chunk"));
  EXPECT_THAT(refusal(riff(chunk("fmt ", format_body({})))), HasSubstr("has no 'data' chunk"));
  EXPECT_THAT(refusal(recording({}, "")), HasSubstr("holds no samples"));
}

TEST_F(wav, refuses_impossible_formats) {
  EXPECT_THAT(refusal(recording({.n_channels = 0}, "ab")), HasSubstr("has no channels"));
  EXPECT_THAT(refusal(recording({.rate_hz = 0}, "ab")), HasSubstr("cannot be read as sound"));
  for (const auto format :
       {layout{.bits = 0}, layout{.bits = 33}, layout{.bits = 40}, layout{.code = 3, .bits = 8},
        layout{.code = 3, .bits = 16}, layout{.code = 0x55}, layout{.code = 0xFFFE}}) {
    EXPECT_THAT(refusal(recording(format, "ab")), HasSubstr("in.wav: ")) << format.code;
  }
  auto other_guid = extensible({}, 1, 16, "ab");
  other_guid[12 + 8 + 39] ^= 1;
  for (const std::string& file : {extensible({}, 0x55, 16, "ab"), other_guid}) {
    EXPECT_THAT(refusal(file), HasSubstr("cannot be read as sound (File contains data in an "
                                         "unimplemented format.); convert it to .wav by ffmpeg"));
  }
}

TEST_F(wav, is_read_from_any_place_on) {
  const std::string content = recording({.bits = 8}, "\x81\x82\x83\x84\x85\x86");
  const auto opened = open_audio(std::make_shared<byte_source>(as_bytes(content), "in.wav"));
  for (const std::size_t first : {0, 4, 1, 2, 5}) {
    EXPECT_THAT(opened->read(first, 1), ElementsAre(static_cast<double>(first + 1) / 128)) << first;
  }
}

TEST_F(wav, refuses_nan_and_infinity_with_their_place) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float inf = std::numeric_limits<float>::infinity();
  EXPECT_THAT(refusal(recording({.code = 3, .bits = 32}, f4(0) + f4(nan))),
              HasSubstr("sample 1 of channel 0 is NaN"));
  EXPECT_THAT(refusal(recording({.code = 3, .bits = 32}, f4(inf))),
              HasSubstr("sample 0 of channel 0 is infinite"));
}

}  // namespace
