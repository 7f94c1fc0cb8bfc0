// SPDX-License-Identifier: Apache-2.0
// Recordings written: the bytes of a header, what is read back, what a .wav file cannot hold.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>  // ldexp
#include <string>

#include "formats/message.hpp"  // as_bytes, little_endian, message_of
#include "formats/signals/wav.hpp"
#include "formats/temporary_folder.hpp"  // temporary_folder
#include "wingbeat/error.hpp"            // plan_error

namespace {

using namespace wingbeat::formats;
using namespace wingbeat::test;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using wingbeat::plan_error;
using wingbeat::formats::signal;  // not <csignal>'s

std::string written(const signal& recording) {
  const temporary_folder folder;
  atomic_file to(folder.path() / "out.wav");
  write_wav(to, recording);
  to.commit();
  return folder.read("out.wav");
}

signal stereo() {
  return {
      .samples = {0.5, -0.25, 3, 4, 5, -6}, .n_rows = 2, .row_length = 3, .sample_rate_hz = 44100};
}

TEST(wav_write, spells_the_header_out) {
  const std::string head =
      "RIFF" + little_endian(50 + 24, 4) + "WAVEfmt " + little_endian(18, 4) + little_endian(3, 2) +
      little_endian(2, 2) + little_endian(44100, 4) + little_endian(44100 * 8, 4) +
      little_endian(8, 2) + little_endian(32, 2) + little_endian(0, 2) + "fact" +
      little_endian(4, 4) + little_endian(3, 4) + "data" + little_endian(24, 4);
  const std::string file = written(stereo());
  EXPECT_EQ(file.substr(0, head.size()), head);
  EXPECT_EQ(file.size(), head.size() + 24);
}

TEST(wav_write, writes_rows_as_channels_that_are_read_back) {
  const std::string file = written(stereo());
  const signal left = read_wav(as_bytes(file), "x.wav", 0);
  const signal right = read_wav(as_bytes(file), "x.wav", 1);
  EXPECT_EQ(left.n_channels, 2U);
  EXPECT_EQ(left.sample_rate_hz, 44100);
  EXPECT_THAT(left.samples, ElementsAre(0.5, -0.25, 3));
  EXPECT_THAT(right.samples, ElementsAre(4, 5, -6));
}

TEST(wav_write, refuses_what_a_recording_cannot_hold) {
  auto other = stereo();
  other.is_real = false;
  EXPECT_THAT(message_of<plan_error>([&] { written(other); }), HasSubstr("complex samples"));
  for (const double rate : {0.0, 0.5, 44100.5, 4294967296.0}) {
    other = stereo();
    other.sample_rate_hz = rate;
    EXPECT_THAT(message_of<plan_error>([&] { written(other); }), HasSubstr("whole number of Hz"));
  }
  other = stereo();
  other.samples[4] = std::ldexp(1.0, 200);
  EXPECT_THAT(message_of([&] { written(other); }), HasSubstr("cannot hold the sample 1.60694e+60"));
  other = {.samples = std::vector<std::complex<double>>(65536),
           .n_rows = 65536,
           .row_length = 1,
           .sample_rate_hz = 1};
  EXPECT_THAT(message_of<plan_error>([&] { written(other); }), HasSubstr("65536 channels"));
}

}  // namespace
