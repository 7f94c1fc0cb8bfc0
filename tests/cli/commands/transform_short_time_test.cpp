// SPDX-License-Identifier: Apache-2.0
// Label: cli
// Timeout: 300
// The numbers that `transform --stft` and `--mel` write, against their formulas, and the way back.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>  // max
#include <cmath>
#include <complex>
#include <cstring>  // memcpy
#include <string>
#include <vector>

#include "cli/transform_runs.hpp"        // noise_rows, transform_runs
#include "cli/window.hpp"                // samples_of
#include "formats/charts/chart.hpp"      // draws_charts
#include "formats/files/npy_header.hpp"  // take_npy_header, npy_prefix
#include "formats/signals/signal.hpp"    // read_signal, write_signal
#include "support/oracle.hpp"            // dft
#include "wingbeat/mel_bands.hpp"        // mel_weights

namespace {

using namespace wingbeat;
using namespace wingbeat::test;
using namespace wingbeat::cli;
using namespace wingbeat::formats;
using ::testing::AllOf;
using ::testing::HasSubstr;
using file_signal = wingbeat::formats::signal;
using words = std::vector<std::string>;

/// An array of fp64 numbers, or of pairs of them.
struct array {
  std::vector<std::size_t> shape;
  std::vector<double> numbers;
};

struct segments {
  std::size_t length, hop;
  window shape = window::hann;

  [[nodiscard]] words options() const {
    return {"--segment", std::to_string(length),      "--overlap",   std::to_string(length - hop),
            "--window",  std::string{name_of(shape)}, "--precision", "fp64"};
  }
  /// Returns the spectrum of the segment around sample t hop of a row, reflected at its ends.
  [[nodiscard]] std::vector<std::complex<double>> bins(const file_signal& in, std::size_t row,
                                                       std::size_t t) const {
    const auto w = samples_of(shape, length);
    const auto n = static_cast<std::ptrdiff_t>(in.row_length);
    std::vector<std::complex<double>> x(length);
    for (std::size_t j = 0; j < length; ++j) {
      auto i = static_cast<std::ptrdiff_t>(t * hop + j) - static_cast<std::ptrdiff_t>(length / 2);
      while (i < 0 || i >= n) i = i < 0 ? -i : 2 * (n - 1) - i;
      x[j] = w[j] * in.samples[row * in.row_length + static_cast<std::size_t>(i)];
    }
    std::vector<std::complex<double>> found;
    for (const auto& z : dft(x, direction::forward)) found.emplace_back(z);
    found.resize(in.is_real ? length / 2 + 1 : length);
    return found;
  }
  [[nodiscard]] std::size_t count(const file_signal& in) const {
    return (in.row_length - length % 2) / hop + 1;
  }
};

class transform_short_time : public transform_runs {
 protected:
  [[nodiscard]] array read(const std::string& name) const {
    const std::string content = at_.folder().read(name);
    std::span<const std::byte> bytes = std::as_bytes(std::span{content});
    array found{take_npy_header(bytes, name).shape, std::vector<double>(bytes.size() / 8)};
    std::memcpy(found.numbers.data(), bytes.data(), bytes.size());
    return found;
  }
  finished run_with(words arguments, const words& more) const {
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(std::move(arguments));
  }
  /// Returns the engines that are here.
  [[nodiscard]] words engines() const {
    words names;
    const auto found = json_of(at_.run({"devices", "--json"}));  // outlives the loop
    for (const auto& device : found["devices"]) names.push_back(device["engine"]);
    EXPECT_GE(names.size(), 2U);
    return names;
  }
};

void expect_bins(const array& got, const file_signal& in, const segments& s) {
  const std::size_t n_frames = s.count(in), n_bins = in.is_real ? s.length / 2 + 1 : s.length;
  std::vector<std::size_t> shape{n_frames, n_bins};
  if (in.n_rows > 1) shape.insert(shape.begin(), in.n_rows);
  ASSERT_EQ(got.shape, shape);
  for (std::size_t t = 0; t < in.n_rows * n_frames; ++t) {
    const auto expected = s.bins(in, t / n_frames, t % n_frames);
    for (std::size_t k = 0; k < n_bins; ++k) {
      const double* const z = &got.numbers[2 * (t * n_bins + k)];
      ASSERT_LE(std::abs(std::complex{z[0], z[1]} - expected[k]), 1e-11) << t << " " << k;
    }
  }
}

TEST_F(transform_short_time, bins_are_of_reflected_segments_and_go_back) {
  for (const bool is_real : {true, false}) {
    for (const auto& s : {segments{64, 16}, segments{75, 20, window::hamming}, segments{2, 1}}) {
      const file_signal in = noise_rows(is_real ? 3 : 1, 203, is_real, /*seed=*/5);
      write_signal(path("in.npy"), in);
      const finished done =
          run_with({"in.npy", "--stft", "--output", "s.npy", "--engine", "host"}, s.options());
      EXPECT_THAT(done.out, AllOf(HasSubstr("agrees"), HasSubstr("checked: all")));
      expect_bins(read("s.npy"), in, s);
      if (!is_real && s.length == 2) continue;  // 2 bins are of real samples
      const finished back = run_with({"s.npy", "--stft", "--inverse", "--length", "203", "--output",
                                      "back.npy", "--engine", "host"},
                                     s.options());
      EXPECT_THAT(back.out, HasSubstr("agrees"));
      const file_signal found = read_signal(path("back.npy"));
      ASSERT_EQ(found.samples.size(), in.samples.size());
      EXPECT_EQ(found.is_real, is_real);
      for (std::size_t i = 0; i < in.samples.size(); ++i) {
        ASSERT_LE(std::abs(found.samples[i] - in.samples[i]), 1e-12) << i;
      }
    }
  }
}

/// Every engine that is here makes bins of both kinds of samples.
TEST_F(transform_short_time, every_engine_makes_the_same_bins) {
  const segments s{48, 24};
  for (const bool is_real : {true, false}) {
    const file_signal in = noise_rows(1, 100, is_real, /*seed=*/6);
    write_signal(path("in.npy"), in);
    for (const std::string& engine : engines()) {
      run_with({"in.npy", "--stft", "--output", "s.npy", "--engine", engine}, s.options());
      expect_bins(read("s.npy"), in, s);
      const finished back = run_with(
          {"s.npy", "--stft", "--inverse", "--length", "100", "--engine", engine}, s.options());
      EXPECT_THAT(back.out, HasSubstr("agrees")) << engine;
    }
  }
}

TEST_F(transform_short_time, levels_are_those_of_mel_bands) {
  file_signal in = noise_rows(2, 900, /*is_real=*/true, /*seed=*/7);
  for (std::size_t i = 1200; i < 1800; ++i) in.samples[i] = 0;  // the floor
  write_signal(path("in.npy"), in);
  const segments s{128, 40};
  for (const bool is_htk : {false, true}) {
    words options = s.options();
    if (is_htk) options.insert(options.end(), {"--mel-scale", "htk"});
    const finished done = run_with(
        {"in.npy", "--mel", "12", "--sample-rate", "8000", "--output", "m.npy", "--engine", "host"},
        options);
    EXPECT_THAT(done.out, AllOf(HasSubstr("agrees"), HasSubstr("checked: 552 of 552 bands")));
    const auto weights = mel_weights({.bands = 12,
                                      .n_fft = 128,
                                      .rate_hz = 8000,
                                      .scale = is_htk ? mel_scale::htk : mel_scale::slaney,
                                      .have_equal_areas = true});
    const array got = read("m.npy");
    ASSERT_EQ(got.shape, (std::vector<std::size_t>{2, 23, 12}));
    for (std::size_t t = 0; t < 46; ++t) {
      const auto bins = s.bins(in, t / 23, t % 23);
      for (std::size_t b = 0; b < 12; ++b) {
        double power = 0;
        for (std::size_t k = 0; k < 65; ++k) power += weights[b * 65 + k] * std::norm(bins[k]);
        ASSERT_NEAR(got.numbers[t * 12 + b], std::log10(std::max(power, 1e-10)), 1e-10);
      }
    }
  }
}

/// A long recording is checked in samples: of all frames' energies, of some frames, of three parts.
TEST_F(transform_short_time, a_long_recording_becomes_segments_and_sound_again) {
  file_signal in = noise_rows(1, 100'000, /*is_real=*/true, /*seed=*/8);
  for (std::size_t i = 0; i < in.samples.size(); ++i) in.samples[i] *= i % 9000 < 4000 ? 1e-6 : 0.9;
  in.sample_rate_hz = 16000;
  in.is_single_precision = true;
  write_signal(path("in.wav"), in);
  const words more{"--segment", "400", "--overlap", "240", "--engine", "host"};
  const finished mel = run_with({"in.wav", "--mel", "80", "--output", "m.npy", "--json"}, more);
  const auto features = json_of(mel);
  EXPECT_EQ(features["kind"], "mel");
  EXPECT_EQ(features["segments"], 626);
  EXPECT_TRUE(features["engines"][0]["agrees"]);
  EXPECT_THAT(run_with({"in.wav", "--stft", "--output", "s.npy"}, more).out,
              HasSubstr("the energy of every transform"));
  const finished back = run_with({"s.npy", "--stft", "--inverse", "--length", "100000", "--output",
                                  "back.wav", "--sample-rate", "16000"},
                                 more);
  EXPECT_THAT(back.out, AllOf(HasSubstr("agrees"), HasSubstr("49152 of 100000 samples")));
  const file_signal heard = read_signal(path("in.wav")), found = read_signal(path("back.wav"));
  ASSERT_EQ(found.row_length, heard.row_length);
  for (std::size_t i = 0; i < heard.row_length; ++i) {
    ASSERT_NEAR(found.samples[i].real(), heard.samples[i].real(), 1e-6) << i;
  }
}

/// A changed spectrum has no samples of its own: they come closest by least squares.
TEST_F(transform_short_time, without_a_length_the_least_is_made) {
  write_signal(path("in.npy"), noise_rows(1, 100, /*is_real=*/true, /*seed=*/9));
  run({"in.npy", "--stft", "--segment", "16", "--output", "s.npy", "--engine", "host"});
  const finished done = run({"s.npy", "--stft", "--inverse", "--segment", "16", "--output",
                             "back.npy", "--engine", "host"});
  EXPECT_THAT(done.err, HasSubstr("13 segments are of 96 to 103 samples; 96 are made"));
  EXPECT_EQ(read_signal(path("back.npy")).row_length, 96U);
}

TEST_F(transform_short_time, draws_both) {
  if (!draws_charts()) GTEST_SKIP() << "this build draws no charts";
  write_signal(path("in.npy"), noise_rows(2, 1000, /*is_real=*/true, /*seed=*/10));
  const words more{"--sample-rate", "8000", "--engine", "host"};
  run_with({"in.npy", "--stft", "--plot", "s.svg"}, more);
  EXPECT_THAT(at_.folder().read("s.svg"), HasSubstr("<svg"));
  const finished mel = run_with({"in.npy", "--mel", "200", "--plot", "m.svg"}, more);
  EXPECT_THAT(mel.err, HasSubstr("bands lie between two bins and are always -10;"));
  EXPECT_THAT(at_.folder().read("m.svg"), HasSubstr("<svg"));
}

TEST_F(transform_short_time, refuses_what_makes_no_sense) {
  at_.file("in.txt", "1\n2\n3\n4\n");
  at_.file("huge.txt", "1e30\n2\n3\n4\n");
  at_.file("complex.txt", "1 2\n3 4\n");
  write_signal(path("in.npy"), noise_rows(1, 100, /*is_real=*/true, /*seed=*/9));
  run({"in.npy", "--stft", "--segment", "16", "--output", "s.npy", "--engine", "host"});
  const std::ptrdiff_t n_files = at_.folder().n_files();
  const std::string stft = "--stft", back = "--inverse";
  for (const auto& [arguments, sentence] : std::vector<std::pair<words, const char*>>{
           {{"in.txt", stft, "--psd"}, "--psd and --stft exclude each other; drop one"},
           {{"in.txt", stft, "--mel", "4"}, "--stft and --mel exclude each other"},
           {{"in.txt", "--mel", "4", back}, "--inverse is of no use with --mel"},
           {{"in.txt", stft, "--detrend", "mean"}, "--detrend is of no use with --stft"},
           {{"in.txt", stft, "--scale", "none"}, "--scale is of no use with --stft"},
           {{"in.txt", stft, "--length", "8"}, "--length is of no use with --stft"},
           {{"in.txt", stft, "--kind", "dct2"}, "--stft is of no use with --kind"},
           {{"in.txt", stft, "--devices", "host"}, "choose them by --engine"},
           {{"in.txt", stft, "--output", "x.csv"}, "must end in .npy"},
           {{"in.txt", stft, "--segment", "8"}, "longer than the rows of in.txt"},
           {{"in.txt", "--mel-scale", "htk"}, "--mel-scale is for --mel"},
           {{"in.txt", "--mel", "4"}, "states no sample rate; give it by --sample-rate"},
           {{"complex.txt", "--mel", "4", "--sample-rate", "9"}, "--mel takes real ones"},
           {{"huge.txt", "--mel", "4", "--sample-rate", "9"}, "use --precision fp64"},
           {{"in.txt", stft, back}, "holds real numbers, and --stft --inverse takes complex bins"},
           {{"s.npy", stft, back}, "has 9 bins a segment, and a default segment of 256 samples"},
           {{"s.npy", stft, back, "--segment", "16", "--length", "104"},
            "which are of 96 to 103 samples; give one of these"},
           {{"s.npy", stft, back, "--segment", "16", "--overlap", "0"},
            "12 samples of each row, from sample 8 on, have squared weights of"},
           {{"s.npy", stft, back, "--segment", "9", "--output", "x.wav", "--sample-rate", "9"},
            "the segments of s.npy are of complex ones"},
           {{"s.npy", stft, back, "--segment", "16", "--output", "x.wav"}, "--sample-rate"},
           {{"s.npy", stft, back, "--segment", "16", "--plot", "x.png"}, "drop one"}}) {
    const finished done = run(arguments, 2);
    EXPECT_THAT(done.err, HasSubstr(sentence));
    EXPECT_EQ(n_lines(done.err), 1U) << done.err;
    EXPECT_EQ(done.out, "");
    EXPECT_EQ(at_.folder().n_files(), n_files);
  }
}

/// Arrays of three axes are rows of segments for the inverse, and nothing for other forms.
TEST_F(transform_short_time, other_forms_refuse_arrays_of_three_axes) {
  write_signal(path("in.npy"), noise_rows(2, 100, /*is_real=*/true, /*seed=*/9));
  run({"in.npy", "--stft", "--segment", "16", "--output", "s.npy", "--engine", "host"});
  EXPECT_THAT(run({"s.npy"}, 4).err, HasSubstr("has 3 dimensions; give one, or two as rows"));
}

}  // namespace
