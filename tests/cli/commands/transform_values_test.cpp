// SPDX-License-Identifier: Apache-2.0
// Label: cli
// Timeout: 300
// The numbers `wingbeat transform` writes, against the definition in long double.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>  // min
#include <complex>
#include <vector>

#include "cli/transform_runs.hpp"      // noise_rows, transform_runs
#include "formats/signals/signal.hpp"  // read_signal, write_signal
#include "support/oracle.hpp"          // dft, relative_l2

namespace {

using namespace wingbeat::test;
using namespace wingbeat::formats;
using samples = std::vector<std::complex<double>>;
using file_signal = wingbeat::formats::signal;

constexpr double bound_fp32 = 3e-7;
constexpr double bound_fp64 = 1e-15;

file_signal noise(std::size_t n_rows, std::size_t row_length, bool is_real) {
  return noise_rows(n_rows, row_length, is_real, /*seed=*/7);
}

samples row_of(const file_signal& s, std::size_t r, std::size_t length) {
  samples row(length);
  for (std::size_t j = 0; j < std::min(length, s.row_length); ++j) {
    row[j] = s.samples[r * s.row_length + j];
  }
  return row;
}

/// Expects the rows in `file` to be the forward transforms of the rows of `from`.
void expect_spectra(const std::filesystem::path& file, const file_signal& signal,
                    std::size_t length, std::size_t n_bins, double bound) {
  const file_signal got = read_signal(file);
  ASSERT_EQ(got.n_rows, signal.n_rows);
  ASSERT_EQ(got.row_length, n_bins);
  for (std::size_t r = 0; r < signal.n_rows; ++r) {
    auto expected = dft(row_of(signal, r, length), direction::forward);
    expected.resize(n_bins);
    EXPECT_LE(relative_l2(row_of(got, r, n_bins), expected), bound) << "row " << r;
  }
}

using transform_values = transform_runs;

TEST_F(transform_values, real_text_is_padded_to_the_next_power_of_two_where_asked) {
  const file_signal in = noise(1, 1000, true);
  write_signal(path("in.txt"), in);
  const finished got =
      run({"in.txt", "--output", "out.npy", "--precision", "fp64", "--pad", "power-of-two"});
  EXPECT_THAT(got.err, ::testing::HasSubstr("padded with 24 zeros, for length 1024"));
  expect_spectra(path("out.npy"), in, 1024, 1024, bound_fp64);
}

TEST_F(transform_values, a_good_length_is_kept) {
  for (const std::size_t n : {75, 1000}) {
    for (const bool is_real : {true, false}) {
      const file_signal in = noise(2, n, is_real);
      write_signal(path("in.npy"), in);
      const finished got = run({"in.npy", "--output", "out.npy", "--engine", "host", "--pad",
                                is_real ? "good" : "none"});
      EXPECT_THAT(got.err, ::testing::Not(::testing::HasSubstr("padded")));
      expect_spectra(path("out.npy"), in, n, n, bound_fp32);
    }
  }
}

TEST_F(transform_values, any_length_is_kept_and_padded_to_the_next_good_one_where_asked) {
  const file_signal in = noise(2, 257, true);
  write_signal(path("in.npy"), in);
  const finished padded =
      run({"in.npy", "--output", "out.npy", "--engine", "reference,host", "--pad", "good"});
  EXPECT_THAT(padded.err, ::testing::HasSubstr("padded with 3 zeros, for length 260"));
  expect_spectra(path("out.npy"), in, 260, 260, bound_fp32);
  const finished own = run({"in.npy", "--output", "out.npy", "--engine", "host"});
  EXPECT_THAT(own.err, ::testing::Not(::testing::HasSubstr("padded")));
  expect_spectra(path("out.npy"), in, 257, 257, bound_fp32);
}

TEST_F(transform_values, one_sample_is_padded_to_the_length_that_is_given) {
  const file_signal in = noise(2, 1, false);
  write_signal(path("in.npy"), in);
  run({"in.npy", "--output", "out.npy", "--engine", "host", "--length", "15"});
  expect_spectra(path("out.npy"), in, 15, 15, bound_fp32);
}

TEST_F(transform_values, every_engine_writes_the_same_spectrum) {
  const file_signal in = noise(1, 300, false);
  write_signal(path("in.npy"), in);
  const auto told = json_of(at_.run({"devices", "--json"}));
  for (const auto& engine : told["devices"]) {
    const std::string name = engine["engine"];
    run({"in.npy", "--output", "out.npy", "--engine", name});
    expect_spectra(path("out.npy"), in, 300, 300, bound_fp32);
  }
}

TEST_F(transform_values, half_leaves_the_mirror_image_out) {
  const file_signal in = noise(3, 64, true);
  write_signal(path("in.npy"), in);
  run({"in.npy", "--half", "--output", "out.npy"});
  expect_spectra(path("out.npy"), in, 64, 33, bound_fp32);
}

TEST_F(transform_values, rows_are_transformed_apart_and_padded_each) {
  const file_signal in = noise(5, 20, false);
  write_signal(path("in.npy"), in);
  run({"in.npy", "--output", "out.npy", "--pad", "power-of-two"});
  expect_spectra(path("out.npy"), in, 32, 32, bound_fp32);
}

TEST_F(transform_values, rows_survive_text_on_the_way_to_a_spectrum_and_back) {
  for (const std::size_t n_rows : {1, 3}) {
    file_signal in = noise(n_rows, 32, false);
    in.is_table = true;
    write_signal(path("in.npy"), in);
    run({"in.npy", "--output", "spectra.txt", "--precision", "fp64"});
    expect_spectra(path("spectra.txt"), in, 32, 32, bound_fp64);
    run({"spectra.txt", "--inverse", "--output", "back.npy", "--precision", "fp64"});
    const file_signal back = read_signal(path("back.npy"));
    EXPECT_EQ(back.n_rows, n_rows);
    EXPECT_TRUE(back.is_table);
    EXPECT_LE(relative_l2(back.samples, in.samples), 2 * bound_fp64);
  }
}

TEST_F(transform_values, csv_output_numbers_the_rows_of_a_table) {
  at_.file("in.txt", "1 0\n0 1\n\n2 0\n0 0\n");
  run({"in.txt", "--output", "out.csv"});
  EXPECT_EQ(at_.folder().read("out.csv"), "row,index,re,im\n0,0,1,1\n0,1,1,-1\n1,0,2,0\n1,1,2,0\n");
}

TEST_F(transform_values, length_pads_or_cuts) {
  const file_signal in = noise(2, 20, true);
  write_signal(path("in.npy"), in);
  run({"in.npy", "--length", "128", "--output", "long.npy"});
  expect_spectra(path("long.npy"), in, 128, 128, bound_fp32);
  const finished got = run({"in.npy", "--length", "8", "--output", "short.npy"});
  EXPECT_THAT(got.err, ::testing::HasSubstr("20 samples cut to the first 8"));
  expect_spectra(path("short.npy"), in, 8, 8, bound_fp32);
}

TEST_F(transform_values, inverse_undoes_the_transform) {
  const file_signal in = noise(1, 256, false);
  write_signal(path("in.npy"), in);
  run({"in.npy", "--output", "spectrum.npy"});
  run({"spectrum.npy", "--inverse", "--output", "back.npy"});
  EXPECT_LE(relative_l2(row_of(read_signal(path("back.npy")), 0, 256), in.samples), bound_fp32);
}

/// As many bins are of an even length and of the odd one behind it.
TEST_F(transform_values, inverse_half_says_which_length_it_takes) {
  const std::string message =
      "33 bins are of 64 or 65 samples; 64 are made, --length 65 makes the other";
  for (const auto& [given, taken] : {std::pair{65, 64}, {64, 64}, {35, 34}, {34, 34}}) {
    write_signal(path("in.npy"), noise(1, static_cast<std::size_t>(given), true));
    run({"in.npy", "--half", "--engine", "host", "--output", "half.npy"});
    const finished got =
        run({"half.npy", "--half", "--inverse", "--engine", "host", "--output", "back.npy"});
    EXPECT_EQ(got.err.find(message) != std::string::npos, taken == 64) << got.err;
    EXPECT_EQ(read_signal(path("back.npy")).row_length, static_cast<std::size_t>(taken));
  }
}

TEST_F(transform_values, inverse_half_makes_a_real_signal) {
  const file_signal in = noise(2, 64, true);
  write_signal(path("in.npy"), in);
  run({"in.npy", "--half", "--output", "half.npy"});
  run({"half.npy", "--half", "--inverse", "--output", "back.npy"});
  const file_signal back = read_signal(path("back.npy"));
  EXPECT_TRUE(back.is_real);
  ASSERT_EQ(back.samples.size(), in.samples.size());
  EXPECT_LE(relative_l2(back.samples, in.samples), bound_fp32);
}

TEST_F(transform_values, odd_lengths_go_there_and_back_by_halves) {
  const file_signal in = noise(2, 75, true);
  write_signal(path("in.npy"), in);
  run({"in.npy", "--half", "--engine", "host", "--output", "half.npy"});
  expect_spectra(path("half.npy"), in, 75, 38, bound_fp32);
  run({"half.npy", "--half", "--inverse", "--engine", "host", "--length", "75", "--output",
       "back.npy"});
  const file_signal back = read_signal(path("back.npy"));
  ASSERT_EQ(back.samples.size(), in.samples.size());
  EXPECT_LE(relative_l2(back.samples, in.samples), bound_fp32);
}

TEST_F(transform_values, scale_is_applied_as_named) {
  const file_signal in = noise(1, 16, false);
  write_signal(path("in.npy"), in);
  for (const auto& [name, factor] :
       {std::pair{"none", 1.0}, {"by_length", 1.0 / 16}, {"by_sqrt_length", 1.0 / 4}}) {
    run({"in.npy", "--scale", name, "--output", "out.npy"});
    auto expected = dft(in.samples, direction::forward);
    for (auto& bin : expected) bin *= factor;
    EXPECT_LE(relative_l2(read_signal(path("out.npy")).samples, expected), bound_fp32) << name;
  }
}

TEST_F(transform_values, text_output_holds_one_bin_a_line) {
  at_.file("in.txt", "1\n2\n3\n");
  run({"in.txt", "--output", "out.txt", "--length", "4"});
  EXPECT_EQ(at_.folder().read("out.txt"), "6 0\n-2 -2\n2 0\n-2 2\n");
}

TEST_F(transform_values, csv_output_names_its_columns) {
  at_.file("in.txt", "1 0\n0 1\n");
  run({"in.txt", "--output", "out.csv"});
  EXPECT_EQ(at_.folder().read("out.csv"), "index,re,im\n0,1,1\n1,1,-1\n");
}

TEST_F(transform_values, silence_is_no_error) {
  at_.file("in.txt", "0\n0\n0\n0\n");
  run({"in.txt", "--output", "out.txt", "--plot", "out.png", "--top", "1"});
  EXPECT_EQ(read_signal(path("out.txt")).samples, samples(4));
}

}  // namespace
