// SPDX-License-Identifier: Apache-2.0
// Recordings written: what is read back, and what a .wav or .flac file cannot hold.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>  // ldexp
#include <string>

#include "formats/message.hpp"                // little_endian, message_of
#include "formats/signals/format.hpp"         // has_audio_library
#include "formats/signals/sample_reader.hpp"  // open_samples, open_writer
#include "formats/temporary_folder.hpp"       // temporary_folder
#include "wingbeat/error.hpp"                 // plan_error

namespace {

using namespace wingbeat::formats;
using namespace wingbeat::test;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using wingbeat::plan_error;
using wingbeat::formats::signal;  // not <csignal>'s

class audio_write : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!has_audio_library()) GTEST_SKIP() << "this build has no libsndfile";
  }

  void write(const std::string& name, const signal& recording) {
    write_signal(folder_.path() / name, recording);
  }

  signal read(const std::string& name, std::size_t channel) {
    return read_signal(folder_.path() / name, {.channel = channel});
  }

  temporary_folder folder_;
};

signal stereo() {
  return {
      .samples = {0.5, -0.25, 3, 4, 5, -6}, .n_rows = 2, .row_length = 3, .sample_rate_hz = 44100};
}

TEST_F(audio_write, writes_rows_as_channels_that_are_read_back) {
  write("x.wav", stereo());
  EXPECT_EQ(folder_.read("x.wav").substr(20, 2), little_endian(3, 2)) << "floats";
  const signal left = read("x.wav", 0), right = read("x.wav", 1);
  EXPECT_EQ(left.n_channels, 2U);
  EXPECT_EQ(left.sample_rate_hz, 44100);
  EXPECT_THAT(left.samples, ElementsAre(0.5, -0.25, 3));
  EXPECT_THAT(right.samples, ElementsAre(4, 5, -6));
}

TEST_F(audio_write, writes_24_bits_to_flac) {
  auto quiet = stereo();
  quiet.samples = {0.5, -1, 1 - 0x1p-23, 0x1p-23, 0.3, 0};
  write("x.flac", quiet);
  EXPECT_THAT(read("x.flac", 0).samples, ElementsAre(0.5, -1, 1 - 0x1p-23));
  EXPECT_THAT(read("x.flac", 1).samples,
              ElementsAre(0x1p-23, std::nearbyint(std::ldexp(0.3, 23)) * 0x1p-23, 0));
  for (const double beyond : {1.0, -1 - 0x1p-22}) {
    quiet.samples[3] = beyond;
    EXPECT_THAT(message_of([&] { write("y.flac", quiet); }), HasSubstr("cannot hold the sample"));
  }
  EXPECT_EQ(folder_.n_files(), 1) << "what failed is removed";
}

TEST_F(audio_write, writes_rf64_from_4_gib_on) {
  const signal shape{.row_length = (std::size_t{1} << 30) + 1, .sample_rate_hz = 8000};
  const auto writer = open_writer(folder_.path() / "x.wav", shape);
  writer->add(std::vector<double>(100, 0.5));
  writer->commit();
  EXPECT_THAT(folder_.read("x.wav"), ::testing::StartsWith("RF64"));
  EXPECT_EQ(read("x.wav", 0).samples, std::vector<std::complex<double>>(100, 0.5));
}

TEST_F(audio_write, refuses_what_a_recording_cannot_hold) {
  auto other = stereo();
  other.is_real = false;
  EXPECT_THAT(message_of<plan_error>([&] { write("x.wav", other); }), HasSubstr("complex samples"));
  for (const double rate : {0.0, 0.5, 44100.5, 4294967296.0}) {
    other = stereo();
    other.sample_rate_hz = rate;
    EXPECT_THAT(message_of<plan_error>([&] { write("x.wav", other); }),
                HasSubstr("whole number of Hz"));
  }
  other = stereo();
  other.samples[4] = std::ldexp(1.0, 200);
  EXPECT_THAT(message_of([&] { write("x.wav", other); }),
              HasSubstr("cannot hold the sample 1.60694e+60"));
  for (const std::size_t n_rows : {1025, 65536}) {
    other = {.samples = std::vector<std::complex<double>>(n_rows),
             .n_rows = n_rows,
             .row_length = 1,
             .sample_rate_hz = 1};
    EXPECT_THAT(message_of<plan_error>([&] { write("x.wav", other); }),
                HasSubstr(std::to_string(n_rows) + " channels"));
  }
}

/// A file that was cut tells so, whatever its format.
TEST_F(audio_write, refuses_a_cut_recording) {
  signal noise{.row_length = 50000, .sample_rate_hz = 8000};
  for (std::size_t i = 0; i < noise.row_length; ++i) {
    noise.samples.emplace_back(std::ldexp(static_cast<double>(i * i % 8191), -13));
  }
  for (const std::string name : {"x.wav", "x.flac"}) {
    write(name, noise);
    EXPECT_EQ(read(name, 0).samples, noise.samples) << name;
    const std::string whole = folder_.read(name);
    folder_.write(name, whole.substr(0, whole.size() / 2));
    EXPECT_THAT(message_of([&] { (void)read(name, 0); }), HasSubstr("copy or record it again"));
  }
}

}  // namespace
