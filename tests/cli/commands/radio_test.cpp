// SPDX-License-Identifier: Apache-2.0
// Label: cli
// I and Q of a radio through `transform`, `filter` and `channelise`: rate and frequency reach
// results.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>  // mkfifo

#include <cmath>
#include <numbers>
#include <string>

#include "cli/images.hpp"              // expect_refusal
#include "cli/program.hpp"             // workplace, json_of
#include "formats/files/hdf5.hpp"      // has_hdf5_library
#include "formats/signals/format.hpp"  // has_audio_library
#include "formats/signals/signal.hpp"  // read_signal, write_signal

namespace {

using namespace wingbeat;
using namespace wingbeat::test;
using ::testing::HasSubstr;
using words = std::vector<std::string>;

constexpr std::size_t n_samples = 8192;
constexpr double rate_hz = 1e6, centre_hz = 100e6, tone_hz = 125e3;

/// A tone above the centre, and half as much of one below it.
class radio : public ::testing::Test {
 protected:
  radio() {
    formats::signal tone{.row_length = n_samples,
                         .is_real = false,
                         .is_single_precision = true,
                         .sample_rate_hz = rate_hz,
                         .centre_hz = centre_hz};
    for (std::size_t i = 0; i < n_samples; ++i) {
      const double angle = 2 * std::numbers::pi * tone_hz / rate_hz * static_cast<double>(i);
      tone.samples.push_back(std::polar(0.5, angle) + std::polar(0.25, -angle));
    }
    formats::write_signal(at_.folder().path() / "x.sigmf-meta", tone);
    std::string bytes;
    for (const auto& z : tone.samples) {
      for (const double part : {z.real(), z.imag()}) {
        bytes += static_cast<char>(std::lround(part * 128) + 128);
      }
    }
    at_.file("x.bin", bytes);
    formats::write_signal(at_.folder().path() / "x.npy", tone);
  }

  workplace at_;
};

TEST_F(radio, reports_frequencies_of_the_sky) {
  const auto document =
      json_of(at_.run({"transform", "x.sigmf-meta", "--engine", "host", "--top", "2", "--json"}));
  EXPECT_EQ(document["sample_rate_hz"], rate_hz);
  EXPECT_EQ(document["centre_hz"], centre_hz);
  EXPECT_NEAR(document["top"][0]["frequency_hz"], centre_hz + tone_hz, 1);
  EXPECT_NEAR(document["top"][1]["frequency_hz"], centre_hz - tone_hz, 1);
  ASSERT_EQ(at_.run({"transform", "x.sigmf-data", "--psd", "--engine", "host", "-o", "p.csv"}).code,
            0);
  EXPECT_THAT(at_.folder().read("p.csv"), HasSubstr("\n100125000,"));
  const auto raw = json_of(at_.run({"transform", "x.bin", "--format", "cu8", "--sample-rate", "1e6",
                                    "--engine", "host", "--top", "1", "--json"}));
  EXPECT_NEAR(raw["top"][0]["frequency_hz"], tone_hz, 1);
}

TEST_F(radio, is_filtered_in_blocks_and_stays_sigmf) {
  at_.file("t.txt", "0\n2\n0\n");
  for (const words& input : {words{"x.sigmf-meta"}, {"x.bin", "--format", "cu8"}, {"x.npy"}}) {
    words line{"filter", input[0], "t.txt", "--mode", "same", "-o", "y.sigmf-meta"};
    line.insert(line.end(), input.begin() + 1, input.end());
    const finished run = at_.run(line);
    ASSERT_EQ(run.code, 0) << run.err;
    const auto expected = formats::read_signal(at_.folder().path() / "x.sigmf-meta");
    const auto read = formats::read_signal(at_.folder().path() / "y.sigmf-data");
    ASSERT_EQ(read.row_length, n_samples);
    for (std::size_t i = 0; i < n_samples; ++i) {
      ASSERT_LE(std::abs(read.samples[i] - 2.0 * expected.samples[i]), 0.03) << i;
    }
    if (input.size() == 1) {
      EXPECT_EQ(read.centre_hz, input[0] == "x.npy" ? 0 : centre_hz);
    }
  }
  expect_refusal(at_, {"filter", "x.sigmf-meta", "t.txt", "-o", "x.sigmf-data"}, 2,
                 "would replace it");
  expect_refusal(at_, {"filter", "x.sigmf-meta", "t.txt", "-o", "y.wav"}, 2,
                 "the result is complex");
}

TEST_F(radio, is_channelised) {
  std::vector<words> inputs{{"x.sigmf-meta"},
                            {"x.bin", "--format", "cu8", "--adc-rate", "1e6"},
                            {"x.npy", "--adc-rate", "1e6"}};
  const auto tone = formats::read_signal(at_.folder().path() / "x.npy");
  if (formats::has_hdf5_library()) {
    formats::write_signal(at_.folder().path() / "x.h5", tone);
    inputs.push_back({"x.h5", "--adc-rate", "1e6"});
    inputs.push_back({"x.h5:/values", "--adc-rate", "1e6"});
  }
  if (formats::has_audio_library()) {
    formats::signal real{.row_length = n_samples, .sample_rate_hz = rate_hz};
    for (const auto& z : tone.samples) real.samples.emplace_back(z.real());
    formats::write_signal(at_.folder().path() / "x.wav", real);
    inputs.push_back({"x.wav"});
  }
  for (const words& input : inputs) {
    words line{"channelise", "--channels", "16",      "--output-bits", "fp32",
               "--engine",   "host",       "--stats", "s.json"};
    line.insert(line.end(), input.begin(), input.end());
    const finished run = at_.run(line);
    ASSERT_EQ(run.code, 0) << run.err;
  }
  at_.file("loud.bin", std::string("\0\0\0\x40\0\0\0\0", 8));
  expect_refusal(
      at_, {"channelise", "loud.bin", "--format", "cf32", "--adc-rate", "1", "--stats", "s.json"},
      4, "magnitudes up to 1 are channelised");
  expect_refusal(at_, {"channelise", "x.bin", "--format", "cq8", "--stats", "s.json"}, 2,
                 "cf32, ci16, ci8 or cu8");
}

TEST_F(radio, is_channelised_from_pipes_in_pieces) {
  const auto line = [](words inputs, const std::string& output, const std::string& format = "cu8") {
    inputs.insert(inputs.begin(), "channelise");
    for (const std::string word : {"--format", format.c_str(), "--adc-rate", "1e6", "--channels",
                                   "16", "--output-bits", "fp32", "--engine", "host", "-o"}) {
      inputs.push_back(word);
    }
    inputs.push_back(output);
    return inputs;
  };
  const std::string part = at_.folder().read("x.bin");
  std::string bytes;
  for (std::size_t i = 0; i < 150; ++i) bytes += part.substr(2 * i) + part.substr(0, 2 * i);
  ASSERT_GT(bytes.size() / 2, std::size_t{1} << 20) << "samples of more than one piece";
  at_.file("long.bin", bytes);
  at_.file("same.bin", bytes);
  ASSERT_EQ(::mkfifo((at_.folder().path() / "pipe").c_str(), 0600), 0);
  const auto run_with_pipe = [&](const words& arguments, const std::string& content) {
    const pid_t process = at_.start(arguments);
    at_.file("pipe", content);
    return at_.wait(process);
  };
  for (const words& others : {words{}, {"same.bin"}}) {
    words files = others, pipes = others;
    files.emplace_back("long.bin");
    pipes.emplace_back("pipe");
    ASSERT_EQ(at_.run(line(files, "f.npy")).code, 0);
    const finished run = run_with_pipe(line(pipes, "p.npy"), bytes);
    ASSERT_EQ(run.code, 0) << run.err;
    EXPECT_EQ(at_.folder().read("p.npy"), at_.folder().read("f.npy"));
  }
  EXPECT_THAT(run_with_pipe(line({"pipe"}, "p.npy"), bytes + "x").err,
              HasSubstr("pipe: has 2457601 bytes"));
  EXPECT_THAT(run_with_pipe(line({"same.bin", "pipe"}, "p.npy"), bytes.substr(2)).err,
              HasSubstr("pipe: ends after 1228799 samples, before the other polarisation does"));
  const std::string not_a_number = "\xFF\xFF\xFF\x7F";
  EXPECT_THAT(
      run_with_pipe(line({"pipe"}, "p.npy", "rf32"), std::string(4 << 20, '\0') + not_a_number).err,
      HasSubstr("pipe: sample 1048576 of channel 0 is NaN"));
  EXPECT_THAT(run_with_stdin(at_, line({"-"}, "p.npy"), part + "x").err,
              HasSubstr("stdin: has 16385 bytes"));
}

}  // namespace
