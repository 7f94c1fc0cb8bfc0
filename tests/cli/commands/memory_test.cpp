// SPDX-License-Identifier: Apache-2.0
// Label: cli
// Timeout: 300
// The memory of commands: what they state is not exceeded, stacks are never in memory whole, and
// too much is refused before it is taken.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>  // mkfifo

#include <filesystem>
#include <fstream>
#include <regex>
#include <string>
#include <utility>  // pair
#include <vector>

#include "cli/images.hpp"                     // image_file, random_images
#include "cli/program.hpp"                    // workplace
#include "formats/files/npy_header.hpp"       // npy_prefix
#include "formats/signals/sample_reader.hpp"  // open_writer
#include "formats/voltages/bytes.hpp"         // guppi_card, guppi_end
#include "support/full_run.hpp"               // is_full_run, sampled

namespace {

using namespace wingbeat;
using namespace wingbeat::test;
using ::testing::HasSubstr;
using words = std::vector<std::string>;

constexpr std::size_t mebibyte = std::size_t{1} << 20;

/// Returns the "within N MiB of memory" of a message, in bytes.
std::size_t stated_bytes(const finished& done) {
  std::smatch found;
  const std::regex pattern{"within ([0-9]+) MiB of memory"};
  if (!std::regex_search(done.err, found, pattern)) return 0;
  return std::stoul(found[1]) * mebibyte;
}

/// Expects that what was stated holds, and that it is no more than half as much again. Sizes are
/// so large that the program itself counts for little.
void expect_close(const finished& done) {
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_LE(done.peak_bytes, stated_bytes(done)) << done.err;
  EXPECT_LE(stated_bytes(done), done.peak_bytes + done.peak_bytes / 2) << done.err;
}

/// Writes fp32 images of zeros as a file without blocks: what this process takes counts for its
/// children as well.
void sparse_stack(const workplace& place, const std::string& name, const image_shape& shape) {
  const std::vector<std::size_t> lengths{shape.n_images, shape.height, shape.width};
  const std::string prefix = formats::npy_prefix("<f4", lengths);
  place.file(name, prefix);
  std::filesystem::resize_file(place.folder().path() / name,
                               prefix.size() + 4 * shape.n_images * shape.height * shape.width);
}

class memory : public ::testing::Test {
 protected:
  void SetUp() override {
#ifdef __SANITIZE_ADDRESS__
    GTEST_SKIP() << "the sanitizer has memory of its own";
#endif
    image_file(at_, "k.npy", random_images({9, 9}, 2));
  }

  /// Expects that the run took no more than it states; returns that.
  std::size_t bounded(const words& arguments) const {
    const finished done = at_.run(arguments);
    EXPECT_EQ(done.code, 0) << done.err;
    EXPECT_GT(stated_bytes(done), 0U) << done.err;
    EXPECT_LE(done.peak_bytes, stated_bytes(done)) << done.err;
    return done.peak_bytes;
  }

  workplace at_;
};

TEST_F(memory, of_a_stack_is_that_of_an_image) {
  sparse_stack(at_, "stack.npy", {512, 512, 80});  // 80 MiB
  for (const std::string precision : {"fp32", "fp64"}) {
    EXPECT_LT(bounded({"convolve", "stack.npy", "k.npy", "-o", "out.npy", "--engine", "host",
                       "--precision", precision}),
              70 * mebibyte);
    EXPECT_LT(bounded({"match", "stack.npy", "k.npy", "--frame", "70", "--engine", "host",
                       "--precision", precision}),
              70 * mebibyte);
  }
  sparse_stack(at_, "many.npy", {256, 256, 2000});  // 500 MiB
  EXPECT_LT(bounded({"match", "stack.npy", "many.npy", "--frame", "3", "--top", "1", "--mode",
                     "valid", "--engine", "host"}),
            300 * mebibyte)
      << "templates come a few at once";
}

TEST_F(memory, of_large_images_is_stated) {
  sparse_stack(at_, "f.npy", {2001, 1501});
  sparse_stack(at_, "large.npy", {1000, 900});
  for (const std::string precision : {"fp32", "fp64"}) {
    for (const std::string kernel : {"k.npy", "large.npy"}) {
      const words more{"f.npy",       kernel,    "--engine", "host",
                       "--precision", precision, "--mode",   "full"};
      words convolve{"convolve", "-o", "out.npy"}, match{"match", "--normalised"};
      convolve.insert(convolve.end(), more.begin(), more.end());
      match.insert(match.end(), more.begin(), more.end());
      (void)bounded(convolve);
      (void)bounded(match);
    }
  }
}

TEST_F(memory, of_a_transformed_image_is_stated) {
  image_file(at_, "f.npy", random_images({1201, 901}, 1));
  image_file(at_, "f.tif", random_images({1201, 901, 1, 3}, 1));
  for (const std::string file : {"f.npy", "f.tif"}) {
    for (const std::string precision : {"fp32", "fp64"}) {
      const bool is_sample = (file == "f.npy") == (precision == "fp64");
      if (!is_sample && !is_full_run()) continue;
      for (const auto& check : sampled<std::string>({"full"}, {"none", "sample"})) {
        const words line{"transform", file,          "--axes",  "2",       "--engine",
                         "host",      "--precision", precision, "--check", check};
        (void)bounded(line);
        words more = line;
        more.insert(more.end(), {"--output", "o.npy"});
        (void)bounded(more);
      }
    }
  }
}

TEST_F(memory, of_samples_of_prime_lengths_is_stated) {
  image_file(at_, "f.npy", random_images({1201, 907}, 1));
  expect_close(at_.run({"transform", "f.npy", "--axes", "2", "--engine", "host", "--precision",
                        "fp64", "--check", "sample"}));
}

TEST_F(memory, of_a_recording_is_that_of_blocks) {
  const formats::signal shape{
      .n_rows = 2, .row_length = std::size_t{1} << 24, .sample_rate_hz = 48000};
  const auto path = at_.folder().path() / "x.wav";
  formats::open_writer(path, shape)->commit();  // a header, whose writer ended early
  std::filesystem::resize_file(path, std::filesystem::file_size(path) + (std::size_t{1} << 27));
  at_.file("t.txt", "1\n2\n3\n");
  for (const std::string precision : {"fp32", "fp64"}) {
    EXPECT_LT(bounded({"filter", "x.wav", "t.txt", "-o", "y.wav", "--engine", "host", "--precision",
                       precision}),
              90 * mebibyte)
        << "of 128 MiB";
  }
  expect_refusal(at_, {"filter", "x.wav", "t.txt", "-o", "y.npy", "--max-memory", "200M"}, 2,
                 "filtering 2 rows needs up to");
}

TEST_F(memory, of_a_density_is_that_of_parts) {
  const std::string prefix = formats::npy_prefix("<f4", {std::size_t{1} << 24});
  at_.file("x.npy", prefix);
  std::filesystem::resize_file(at_.folder().path() / "x.npy",
                               prefix.size() + (std::size_t{1} << 26));
  const words transform{"transform", "x.npy", "--engine", "host", "--max-memory", "180M"};
  const auto more = [&](const words& options) {
    words line = transform;
    line.insert(line.end(), options.begin(), options.end());
    return line;
  };
  for (const std::string precision : {"fp32", "fp64"}) {
    EXPECT_LT(bounded(more({"--psd", "--precision", precision, "-o", "p.npy"})), 110 * mebibyte);
  }
  for (const words& whole : {words{}, {"--spectrogram"}, {"--psd", "--segment", "4194304"}}) {
    const finished done = at_.run(more(whole));
    EXPECT_EQ(done.code, 2);
    EXPECT_THAT(done.err, HasSubstr("MiB of memory, and 180 MiB are allowed; give --max-memory "));
    EXPECT_LT(done.peak_bytes, 100 * mebibyte);
  }
  EXPECT_LT(bounded(more({"--length", "1000"})), 60 * mebibyte);
}

TEST_F(memory, of_short_time_transforms_is_stated) {
  const std::string prefix = formats::npy_prefix("<f4", {std::size_t{1} << 22});
  at_.file("x.npy", prefix);
  std::filesystem::resize_file(at_.folder().path() / "x.npy",
                               prefix.size() + (std::size_t{1} << 24));
  const auto run = [&](words line) {
    const words more{"--engine", "host", "--segment", "400", "--overlap", "240"};
    line.insert(line.begin(), "transform");
    line.insert(line.end(), more.begin(), more.end());
    return at_.run(line);
  };
  expect_close(run({"x.npy", "--stft", "-o", "s.npy"}));
  expect_close(run({"s.npy", "--stft", "--inverse", "-o", "y.npy"}));
  expect_close(run({"x.npy", "--mel", "80", "--sample-rate", "16000", "-o", "m.npy"}));
  expect_refusal(at_, {"transform", "x.npy", "--stft", "--engine", "host", "--max-memory", "100M"},
                 2, "transforming 32769 segments of 256 samples needs up to");
}

TEST_F(memory, of_transformed_rows_is_stated) {
  const std::string prefix = formats::npy_prefix("<f4", {3, 300007});
  at_.file("x.npy", prefix);
  std::filesystem::resize_file(at_.folder().path() / "x.npy", prefix.size() + 3 * 4 * 300007);
  for (const words& options : {words{},
                               {"--half", "-o", "y.npy"},
                               {"-o", "y.npy", "--window", "hann"},
                               {"--spectrogram", "-o", "y.npy", "--overlap", "200"},
                               {"--check", "full", "--top", "3"},
                               {"--kind", "dct2", "-o", "y.npy"}}) {
    for (const std::string& precision : sampled<std::string>({"fp32"}, {"fp64"})) {
      words line{"transform", "x.npy", "--engine", "host", "--precision", precision};
      line.insert(line.end(), options.begin(), options.end());
      (void)bounded(line);
    }
  }
}

TEST_F(memory, of_adjacent_channels_is_that_of_their_pieces) {
  constexpr std::size_t n_channels = 8, block_bytes = n_channels << 22;  // 2^20 samples of each
  const std::pair<const char*, std::string> cards[] = {{"BLOCSIZE", std::to_string(block_bytes)},
                                                       {"OBSNCHAN", std::to_string(n_channels)},
                                                       {"NBITS", "8"},
                                                       {"NPOL", "4"},
                                                       {"TBIN", "1e-6"},
                                                       {"OBSFREQ", "1400"},
                                                       {"OBSBW", "8"},
                                                       {"PKTIDX", "0"},
                                                       {"PKTSIZE", "8192"}};
  file_bytes header;
  for (const auto& [key, value] : cards) header = header + guppi_card(key, value);
  header = header + guppi_end();
  at_.file("x.raw", {reinterpret_cast<const char*>(header.data()), header.size()});
  std::filesystem::resize_file(at_.folder().path() / "x.raw", header.size() + block_bytes);
  const finished done = at_.run({"channelise", "x.raw", "--channels", "64", "--kept-samples", "0",
                                 "--output-bits", "fp32", "--engine", "host", "-o", "x.fil"});
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_LT(done.peak_bytes, 150 * mebibyte);
}

TEST_F(memory, of_a_piped_recording_is_that_of_its_pieces) {
  ASSERT_EQ(::mkfifo((at_.folder().path() / "pipe").c_str(), 0600), 0);
  const pid_t process = at_.start({"channelise", "pipe", "--format", "cf32", "--adc-rate", "1e6",
                                   "--channels", "64", "--kept-samples", "0", "--output-bits",
                                   "fp32", "--engine", "host", "-o", "x.fil"});
  {
    std::ofstream pipe{at_.folder().path() / "pipe", std::ios::binary};
    const std::string zeros(mebibyte, '\0');
    for (std::size_t i = 0; i < 256; ++i) pipe << zeros;
  }
  const finished done = at_.wait(process);
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_LT(done.peak_bytes, 150 * mebibyte);
}

TEST_F(memory, of_whole_signals_is_stated) {
  const std::string prefix = formats::npy_prefix("<f4", {3, 1000000});
  at_.file("x.npy", prefix);
  std::filesystem::resize_file(at_.folder().path() / "x.npy", prefix.size() + 12000000);
  std::string taps;
  for (int i = 0; i < 70000; ++i) taps += "1\n";
  at_.file("short.txt", "1\n2\n");
  at_.file("long.txt", taps);
  for (const std::string file : {"short.txt", "long.txt"}) {
    for (const std::string precision : {"fp32", "fp64"}) {
      (void)bounded(
          {"filter", "x.npy", file, "-o", "y.npy", "--engine", "host", "--precision", precision});
    }
  }
}

TEST_F(memory, is_refused_before_it_is_taken) {
  // Zeros shrink to a thousandth: a small file that claims much.
  image_file(at_, "f.png",
             {.samples = std::vector<float>(1500 * 1500), .height = 1500, .width = 1500},
             {.range = formats::value_range{0, 255}});
  for (const words& arguments : {words{"convolve", "f.png", "k.npy", "-o", "out.npy"},
                                 {"convolve", "k.npy", "f.png", "-o", "out.npy"},
                                 {"match", "f.png", "k.npy"},
                                 {"transform", "f.png", "--axes", "2"},
                                 {"match", "f.png", "f.png"}}) {
    words command = arguments;
    command.insert(command.end(), {"--max-memory", "100M", "--engine", "host"});
    const finished done = at_.run(command);
    EXPECT_EQ(done.code, 2);
    EXPECT_THAT(done.err, HasSubstr("MiB of memory, and 100 MiB are allowed"));
    EXPECT_THAT(done.err, HasSubstr("give --max-memory "));
    EXPECT_EQ(n_lines(done.err), 1U);
    EXPECT_LT(done.peak_bytes, 60 * mebibyte);
  }
  expect_refusal(at_, {"match", "k.npy", "k.npy", "--max-memory", "much"}, 2,
                 "--max-memory takes bytes such as 1500000, 512M or 3.5G, and was given 'much'");
  expect_refusal(at_, {"match", "k.npy", "k.npy", "--max-memory", "10K"}, 2,
                 "MiB of memory, and 10 KiB are allowed; give --max-memory ");
  EXPECT_EQ(at_.run({"match", "k.npy", "k.npy", "--max-memory", "0.5G"}).code, 0);
}

/// The last, because a child is said to have taken at least what this process had when it began,
/// and all lines of this one are read here.
TEST_F(memory, of_many_peaks_is_stated) {
  sparse_stack(at_, "f.npy", {2201, 2001});
  for (const words& more : {words{}, {"--json"}, {"--csv", "p.csv", "--star", "p.star"}}) {
    words command{"match",          "f.npy", "k.npy",       "--mode", "same",    "--engine", "host",
                  "--min-distance", "1",     "--threshold", "-1",     "--frame", "0"};
    command.insert(command.end(), more.begin(), more.end());
    expect_close(at_.run(command));
  }
}

}  // namespace
