// SPDX-License-Identifier: Apache-2.0
// Label: cli
// Timeout: 300
// The numbers that `transform --psd` and `--spectrogram` write, against their formulas.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstring>  // memcpy
#include <fstream>
#include <iterator>  // istreambuf_iterator
#include <numbers>   // pi
#include <vector>

#include "cli/transform_runs.hpp"        // noise_rows, transform_runs
#include "cli/window.hpp"                // samples_of
#include "formats/charts/chart.hpp"      // draws_charts
#include "formats/files/npy_header.hpp"  // npy_prefix
#include "formats/signals/signal.hpp"    // read_signal, write_signal
#include "support/oracle.hpp"            // dft

namespace {

using namespace wingbeat::test;
using namespace wingbeat::cli;
using ::testing::AllOf;
using ::testing::HasSubstr;
using namespace wingbeat::formats;
using file_signal = wingbeat::formats::signal;

file_signal noise(std::size_t n_rows, std::size_t row_length, bool is_real) {
  return noise_rows(n_rows, row_length, is_real, /*seed=*/11, /*mean=*/3);
}

struct request {
  std::size_t segment, hop;
  window shape = window::hann;
  double rate_hz = 1;
  bool is_density = true, removes_mean = true;
};

/// Returns the powers of one frame by the definition.
std::vector<double> powers_of(const file_signal& signal, std::size_t first, const request& r) {
  const auto w = samples_of(r.shape, r.segment);
  std::complex<double> mean = 0;
  double sum = 0, energy = 0;
  for (std::size_t i = 0; i < r.segment; ++i) {
    if (r.removes_mean) mean += signal.samples[first + i] / static_cast<double>(r.segment);
    sum += w[i];
    energy += w[i] * w[i];
  }
  std::vector<std::complex<double>> x(r.segment);
  for (std::size_t i = 0; i < r.segment; ++i) x[i] = w[i] * (signal.samples[first + i] - mean);
  const auto exact = dft(x, direction::forward);
  const double divisor = r.is_density ? r.rate_hz * energy : sum * sum;
  std::vector<double> powers;
  for (std::size_t k = 0; k < (signal.is_real ? r.segment / 2 + 1 : r.segment); ++k) {
    const bool is_twice = signal.is_real && k > 0 && 2 * k != r.segment;
    powers.push_back((is_twice ? 2 : 1) * static_cast<double>(std::norm(exact[k])) / divisor);
  }
  return powers;
}

using transform_frames = transform_runs;

void expect_close(std::span<const std::complex<double>> got, const std::vector<double>& expected,
                  double bound) {
  ASSERT_EQ(got.size(), expected.size());
  double largest = 0;
  for (const double value : expected) largest = std::max(largest, value);
  for (std::size_t i = 0; i < got.size(); ++i) {
    EXPECT_NEAR(got[i].real(), expected[i], bound * largest) << i;
  }
}

/// Returns the numbers of an array in fp64 of any shape.
std::vector<double> numbers_in(const std::filesystem::path& file) {
  std::ifstream in{file, std::ios::binary};
  const std::string bytes{std::istreambuf_iterator<char>{in}, {}};
  const std::size_t begin = bytes.find('\n') + 1;
  std::vector<double> numbers((bytes.size() - begin) / sizeof(double));
  std::memcpy(numbers.data(), &bytes[begin], numbers.size() * sizeof(double));
  return numbers;
}

/// Writes real rows whose samples of a moment lie together.
void write_columns(const std::filesystem::path& file, const file_signal& rows) {
  std::string header = npy_prefix("<f8", {rows.n_rows, rows.row_length});
  header.replace(header.find("False"), 6, "True, ");
  std::ofstream out{file, std::ios::binary};
  out << header;
  for (std::size_t i = 0; i < rows.samples.size(); ++i) {
    const double x = rows.samples[i % rows.n_rows * rows.row_length + i / rows.n_rows].real();
    out.write(reinterpret_cast<const char*>(&x), sizeof x);
  }
}

/// A spectrogram is made at once, and more than 2^20 samples of segments are averaged in parts.
TEST_F(transform_frames, means_of_many_segments_are_made_in_parts) {
  const auto powers_by = [&](const std::string& kind) {
    const finished done = run({"in.npy", kind, "--segment", "300", "--overlap", "2", "--output",
                               "p.npy", "--precision", "fp64", "--engine", "host"});
    EXPECT_THAT(done.out, HasSubstr("agrees"));
    return numbers_in(path("p.npy"));
  };
  const std::pair<std::size_t, std::size_t> shapes[] = {{1, 1500000}, {5000, 301}, {3, 500000}};
  for (const auto& [n_rows, row_length] : shapes) {
    for (const bool are_columns : {false, true}) {
      const file_signal in = noise(n_rows, row_length, are_columns || n_rows != 3);
      if (are_columns) {
        write_columns(path("in.npy"), in);
      } else {
        write_signal(path("in.npy"), in);
      }
      const std::vector<double> means = powers_by("--psd"), powers = powers_by("--spectrogram");
      const std::size_t n_bins = means.size() / n_rows, n_frames = powers.size() / means.size();
      EXPECT_EQ(n_frames, (row_length - 300) / 298 + 1);
      for (std::size_t i = 0; i < means.size(); ++i) {
        double mean = 0;
        for (std::size_t f = 0; f < n_frames; ++f) {
          mean += powers[(i / n_bins * n_frames + f) * n_bins + i % n_bins];
        }
        mean /= static_cast<double>(n_frames);
        ASSERT_NEAR(means[i], mean, 1e-12 * (mean + 1)) << n_rows << " " << i;
      }
    }
  }
}

TEST_F(transform_frames, welch_averages_the_powers_of_segments) {
  for (const bool is_real : {true, false}) {
    for (const std::size_t segment : {64, 75}) {
      const file_signal in = noise(2, 500, is_real);
      write_signal(path("in.npy"), in);
      for (const std::string engine : {"host", "reference"}) {
        run({"in.npy", "--psd", "--segment", std::to_string(segment), "--overlap", "20",
             "--sample-rate", "8000", "--precision", "fp64", "--output", "psd.npy", "--engine",
             engine});
        const request r{segment, segment - 20, window::hann, 8000};
        const file_signal got = read_signal(path("psd.npy"));
        ASSERT_EQ(got.n_rows, 2U);
        for (std::size_t row = 0; row < 2; ++row) {
          std::vector<double> mean(got.row_length);
          const std::size_t n = (500 - segment) / r.hop + 1;
          for (std::size_t f = 0; f < n; ++f) {
            const auto powers = powers_of(in, row * 500 + f * r.hop, r);
            for (std::size_t k = 0; k < mean.size(); ++k) {
              mean[k] += powers[k] / static_cast<double>(n);
            }
          }
          expect_close(std::span(got.samples).subspan(row * mean.size(), mean.size()), mean, 1e-13);
        }
      }
    }
  }
}

/// Powers have the roundings of the load and the store, too, and underflow where |X| does not.
TEST_F(transform_frames, recordings_of_all_kinds_are_within_the_bound) {
  constexpr std::size_t n = 400'000;
  constexpr double level_24_bits = 0x1p-23;
  const std::vector<double (*)(std::size_t, double)> kinds{
      [](std::size_t i, double) { return std::round(2e4 * std::sin(0.01 * double(i))) / 32768; },
      [](std::size_t i, double x) {
        return i % 150'000 < 70'000 ? 0 : std::round(9e3 * x) / 32768;
      },
      [](std::size_t, double x) { return (5e6 + (x > 0)) * level_24_bits; },  // a large constant
      [](std::size_t i, double) { return i % 5000 == 0 ? level_24_bits : 0; },
      [](std::size_t i, double x) { return x * std::exp(-1e-4 * double(i)); },  // to 4e-18
      [](std::size_t i, double x) { return i < n / 2 ? x : 1e-20 * x; }};
  for (const auto& kind : kinds) {
    file_signal in = noise_rows(1, n, /*is_real=*/true, /*seed=*/3);
    for (std::size_t i = 0; i < n; ++i) in.samples[i] = kind(i, in.samples[i].real());
    write_signal(path("in.npy"), in);
    for (const std::string real : {"fp32", "fp64"}) {
      for (const std::string segment : {"256", "1000"}) {
        const auto done = run({"in.npy", "--spectrogram", "--engine", "host", "--precision", real,
                               "--segment", segment, "--output", "s.npy", "--json"});
        const auto found = nlohmann::json::parse(done.out)["engines"][0];
        EXPECT_LE(found["relative_l2"], found["relative_l2_bound"]) << done.out;
        EXPECT_LE(found["largest_error"], found["largest_bound"]) << done.out;
      }
    }
  }
}

/// Samples of few bits less a mean of many have roundings of one sign, which bin 0 adds up.
TEST_F(transform_frames, noise_of_16_bits_is_within_the_bound_without_a_window) {
  for (int seed = 1; seed <= 6; ++seed) {
    file_signal in = noise_rows(1, 16384, /*is_real=*/true, seed);
    for (auto& x : in.samples) x = std::round(3e3 * x.real()) / 32768;
    write_signal(path("in.npy"), in);
    run({"in.npy", "--spectrogram", "--engine", "host", "--segment", "16384", "--window",
         "rectangular", "--output", "s.npy"});
  }
}

TEST_F(transform_frames, every_engine_makes_the_same_spectrogram) {
  const auto devices = json_of(at_.run({"devices", "--json"}));
  for (const bool is_real : {true, false}) {
    const file_signal in = noise(1, 300, is_real);
    write_signal(path("in.npy"), in);
    for (const auto& device : devices["devices"]) {
      const std::string engine = device["engine"];
      run({"in.npy", "--spectrogram", "--segment", "45", "--scale", "spectrum", "--detrend", "none",
           "--window", "flat-top", "--output", "s.npy", "--engine", engine});
      const request r{45, 23, window::flat_top, 1, false, false};
      const file_signal got = read_signal(path("s.npy"));
      ASSERT_EQ(got.n_rows, (300 - 45) / 23 + 1) << engine;
      for (std::size_t f = 0; f < got.n_rows; ++f) {
        expect_close(std::span(got.samples).subspan(f * got.row_length, got.row_length),
                     powers_of(in, f * 23, r), 2e-6);
      }
    }
  }
}

/// A sine of amplitude A has the power A^2 / 2, whatever the window.
TEST_F(transform_frames, a_sine_has_its_power) {
  file_signal in{.row_length = 4096};
  for (int i = 0; i < 4096; ++i) {
    in.samples.emplace_back(3 * std::sin(2 * std::numbers::pi * 10 * i / 256), 0);
  }
  write_signal(path("in.npy"), in);
  for (const std::string window : {"rectangular", "hamming", "blackman", "blackman-harris"}) {
    run({"in.npy", "--psd", "--scale", "spectrum", "--window", window, "--output", "p.npy"});
    EXPECT_NEAR(read_signal(path("p.npy")).samples[10].real(), 4.5, 1e-4) << window;
  }
}

TEST_F(transform_frames, csv_has_frequencies_and_times) {
  at_.file("in.txt", "1\n2\n3\n4\n5\n");
  run({"in.txt", "--spectrogram", "--segment", "2", "--overlap", "0", "--window", "rectangular",
       "--detrend", "none", "--sample-rate", "4", "--output", "s.csv", "--engine", "host"});
  EXPECT_EQ(at_.folder().read("s.csv"),
            "time_s,frequency_hz,density_v2_per_hz\n0.25,0,1.125\n0.25,2,0.125\n0.75,0,6.125\n"
            "0.75,2,0.125\n");
  const finished psd = run({"in.txt", "--psd", "--segment", "2", "--window", "rectangular",
                            "--output", "p.csv", "--engine", "host", "--json"});
  EXPECT_THAT(at_.folder().read("p.csv"),
              ::testing::StartsWith("frequency_cycles_per_sample,density_v2\n0,"));
  EXPECT_EQ(json_of(psd)["segments"], 4);
  EXPECT_EQ(json_of(psd)["window_form"], "periodic");
  EXPECT_EQ(json_of(psd)["unit"], "unit² for each cycle/sample");  // neither of them is known
}

TEST_F(transform_frames, draws_both_and_tells_what_is_left) {
  if (!draws_charts()) GTEST_SKIP() << "this build draws no charts";
  write_signal(path("in.npy"), noise(2, 1000, true));
  const finished psd = run({"in.npy", "--psd", "--plot", "p.svg", "--sample-rate", "1e6"});
  EXPECT_THAT(psd.err, HasSubstr("the last 104 samples of each row are in no segment"));
  EXPECT_THAT(psd.out, AllOf(HasSubstr("power spectral density in unit²/Hz,"),
                             HasSubstr("noise bandwidth 5859.38")));
  EXPECT_THAT(at_.folder().read("p.svg"), HasSubstr("<svg"));
  run({"in.npy", "--spectrogram", "--plot", "p.png"});
  EXPECT_EQ(at_.folder().read("p.png").substr(1, 3), "PNG");
}

TEST_F(transform_frames, windows_weight_the_samples_of_a_plain_transform) {
  for (const bool is_real : {true, false}) {
    const file_signal in = noise(2, 30, is_real);
    write_signal(path("in.npy"), in);
    const auto devices = json_of(at_.run({"devices", "--json"}));
    for (const auto& device : devices["devices"]) {
      run({"in.npy", "--window", "hamming", "--length", "32", "--output", "out.npy", "--engine",
           device["engine"]});
      const file_signal got = read_signal(path("out.npy"));
      const auto w = samples_of(window::hamming, 30);
      for (std::size_t r = 0; r < 2; ++r) {
        std::vector<std::complex<double>> x(32);
        for (std::size_t i = 0; i < 30; ++i) x[i] = w[i] * in.samples[r * 30 + i];
        const auto exact = dft(x, direction::forward);
        for (std::size_t k = 0; k < 32; ++k) {
          EXPECT_LE(std::abs(got.samples[r * 32 + k] - std::complex<double>(exact[k])), 1e-5) << k;
        }
      }
    }
  }
}

TEST_F(transform_frames, refuses_what_makes_no_sense) {
  at_.file("in.txt", "1\n2\n3\n4\n");
  for (const auto& [words, sentence] :
       std::vector<std::pair<std::vector<std::string>, const char*>>{
           {{"--psd", "--spectrogram"}, "exclude each other"},
           {{"--psd", "--inverse"}, "--inverse is of no use with --psd"},
           {{"--psd", "--top", "1"}, "--top is of no use with --psd"},
           {{"--segment", "2"}, "--segment is for --psd, --spectrogram, --stft and --mel"},
           {{"--overlap", "1"}, "--overlap is for"},
           {{"--detrend", "none"}, "--detrend is for"},
           {{"--psd", "--segment", "8"}, "longer than the rows of in.txt, which have 4 samples"},
           {{"--psd", "--segment", "4", "--overlap", "4"}, "leaves nothing"},
           {{"--psd", "--window", "kaiser"}, "choose rectangular, hann"},
           {{"--psd", "--scale", "none"}, "choose density or spectrum"},
           {{"--psd", "--output", "x.txt"}, "must end in .csv, .npy or .h5"},
           {{"--window", "hann", "--inverse"}, "drop one"}}) {
    std::vector<std::string> arguments{"in.txt"};
    arguments.insert(arguments.end(), words.begin(), words.end());
    EXPECT_THAT(run(arguments, 2).err, HasSubstr(sentence));
  }
}

}  // namespace
