// SPDX-License-Identifier: Apache-2.0
// The bench's judge: noise that every library may read, and rows that the definition agrees with.
#include "cli/accuracy.hpp"

#include <gtest/gtest.h>

#include <algorithm>  // max, min
#include <cmath>
#include <complex>
#include <cstring>  // memcpy
#include <string>
#include <vector>

#include "cli/sweep.hpp"  // problems_of

namespace {

using namespace wingbeat;
using namespace wingbeat::cli;
using z = std::complex<long double>;

constexpr long double pi = 3.14159265358979323846264338327950288L;

plan_spec problem(const std::string& lengths, const std::string& kind, const std::string& layout,
                  const std::string& precision = "fp64") {
  return problems_of({.lengths = lengths,
                      .kind = kind,
                      .precision = precision,
                      .layout = layout,
                      .batch = 3},
                     first_device(engine::reference))
      .front();
}

/// All rows of one transform of a side, as one row-major array.
std::vector<std::complex<double>> whole(const side& of, precision real, std::size_t transform,
                                        const byte_reader& read) {
  std::size_t rows = 1;
  for (std::size_t a = 0; a + 1 < of.axes.size(); ++a) rows *= of.axes[a].length;
  std::vector<std::complex<double>> all;
  for (std::size_t r = 0; r < rows; ++r) {
    row_place at{transform, std::vector<std::size_t>(of.axes.size() - 1)};
    std::size_t rest = r;
    for (std::size_t a = at.outer.size(); a-- > 0; rest /= of.axes[a].length) {
      at.outer[a] = rest % of.axes[a].length;
    }
    const auto row = row_of(of, real, at, read);
    all.insert(all.end(), row.begin(), row.end());
  }
  return all;
}

/// Half a spectrum of two axes, completed: X[k0][k1] = conj X[-k0][-k1].
std::vector<std::complex<double>> completed(const std::vector<std::complex<double>>& half,
                                            std::size_t n0, std::size_t n1) {
  const std::size_t bins = n1 / 2 + 1;
  std::vector<std::complex<double>> all(n0 * n1);
  for (std::size_t i = 0; i < n0; ++i) {
    for (std::size_t j = 0; j < n1; ++j) {
      all[i * n1 + j] =
          j < bins ? half[i * bins + j] : std::conj(half[(n0 - i) % n0 * bins + (n1 - j)]);
    }
  }
  return all;
}

/// The double sum that defines output k of two axes.
z by_definition(const std::vector<std::complex<double>>& x, std::size_t n0, std::size_t n1,
                std::size_t k0, std::size_t k1, int sign) {
  z sum = 0;
  for (std::size_t i = 0; i < n0; ++i) {
    for (std::size_t j = 0; j < n1; ++j) {
      const auto turn = static_cast<long double>(i * k0) / static_cast<long double>(n0) +
                        static_cast<long double>(j * k1) / static_cast<long double>(n1);
      sum += z{x[i * n1 + j]} * std::polar(1.0L, static_cast<long double>(sign) * 2 * pi * turn);
    }
  }
  return sum;
}

class accuracy : public ::testing::TestWithParam<std::string> {};

TEST_P(accuracy, rows_of_two_axes_are_those_of_the_double_sum) {
  constexpr std::size_t n0 = 4, n1 = 8;
  for (const std::string layout : {"packed", "planar", "interleaved", "strided=3", "padded=1"}) {
    const plan_spec what = problem("4x8", GetParam(), layout);
    const auto block = noise_block(what);
    const auto read = reader_of(block);
    for (const std::size_t t : {0U, 2U}) {
      auto x = whole(input_side(what), what.real, t, read);
      if (what.kind == transform::inverse_to_real) x = completed(x, n0, n1);
      const int sign =
          GetParam().find("inverse") != std::string::npos || GetParam() == "c2r" ? 1 : -1;
      const auto row = expected_row(what, {t, {3}}, read);
      for (std::size_t k = 0; k < row.size(); ++k) {
        const z exact = by_definition(x, n0, n1, 3, k, sign);
        EXPECT_LT(std::abs(z{row[k]} - exact), 1e-14L)
            << layout << " transform " << t << " at " << k;
      }
    }
  }
}

TEST_P(accuracy, some_elements_of_a_row_are_those_of_the_whole_row) {
  for (const std::string lengths : {"256", "4x64"}) {
    const plan_spec what = problem(lengths, GetParam(), "packed");
    const auto block = noise_block(what);
    const auto read = reader_of(block);
    row_place at{2, std::vector<std::size_t>(what.lengths.size() - 1, 3)};
    const auto whole_row = expected_row(what, at, read);
    for (const std::size_t first : {0U, 3U, 7U}) {
      at.first = first;
      at.step = 8;
      const auto some = expected_row(what, at, read);
      ASSERT_EQ(some.size(), (whole_row.size() - first + 7) / 8);
      for (std::size_t m = 0; m < some.size(); ++m) {
        EXPECT_LT(std::abs(some[m] - whole_row[first + 8 * m]), 1e-13) << lengths << first << m;
      }
    }
  }
}

TEST(oracle, looks_at_some_elements_of_long_rows) {
  const plan_spec what = problem("2^21", "r2c", "packed", "fp32");
  const auto block = noise_block(what);
  const oracle truth{what, block};
  EXPECT_EQ(truth.n_rows(), 3U);
  EXPECT_NEAR(static_cast<double>(truth.n_elements()), 3 * 2048, 3);
}

INSTANTIATE_TEST_SUITE_P(kinds, accuracy, ::testing::Values("c2c", "c2c-inverse", "r2c", "c2r"),
                         [](const auto& one) {
                           std::string name = one.param;
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

TEST(noise, of_half_spectra_is_that_of_real_signals) {
  for (const std::string layout : {"packed", "in-place", "planar", "interleaved"}) {
    const plan_spec what = problem("4x8", "c2r", layout);
    const auto block = noise_block(what);
    const auto bins = whole(input_side(what), what.real, 1, reader_of(block));
    for (std::size_t i = 0; i < 4; ++i) {
      for (const std::size_t k : {0U, 4U}) {
        EXPECT_EQ(bins[i * 5 + k], std::conj(bins[(4 - i) % 4 * 5 + k])) << layout << i << k;
      }
      EXPECT_NE(bins[i * 5 + 1].imag(), 0);
    }
  }
}

TEST(noise, is_rounded_to_its_precision_and_fills_its_range) {
  for (const std::string precision : {"fp16", "bf16", "fp32", "fp64"}) {
    const plan_spec what = problem("1024", "c2c", "packed", precision);
    const auto block = noise_block(what);
    double least = 1, most = -1, sum = 0;
    for (const auto& x : row_of(input_side(what), what.real, {1, {}}, reader_of(block))) {
      least = std::min({least, x.real(), x.imag()});
      most = std::max({most, x.real(), x.imag()});
      sum += x.real() + x.imag();
    }
    EXPECT_GE(least, -1) << precision;
    EXPECT_LT(least, -0.99) << precision;
    EXPECT_LE(most, 1) << precision;
    EXPECT_GT(most, 0.99) << precision;
    EXPECT_LT(std::abs(sum / 2048), 0.05) << precision;  // 4 deviations of a mean of 2048
  }
}

TEST(noise, repeats_where_a_block_is_shorter_than_the_input) {
  plan_spec what = problem("1024", "c2c", "packed");
  what.batch = 5000;  // 80 MB
  const auto block = noise_block(what);
  const auto read = reader_of(block);
  ASSERT_LT(block.size(), input_bytes(what));
  const std::size_t period = block.size() / (1024 * 16);
  const side in = input_side(what);
  EXPECT_EQ(row_of(in, what.real, {period + 1, {}}, read), row_of(in, what.real, {1, {}}, read));
  EXPECT_NE(row_of(in, what.real, {2, {}}, read), row_of(in, what.real, {1, {}}, read));
}

TEST(oracle, accepts_the_truth_and_sees_one_wrong_element_of_a_row) {
  const plan_spec what = problem("4x8", "c2c", "packed", "fp32");
  const auto block = noise_block(what);
  const oracle truth{what, block};
  ASSERT_EQ(truth.n_rows(), 3U);
  const side out = output_side(what);
  std::vector<std::byte> memory(out.bytes());
  const auto put = [&](const row_place& at) {
    const auto row = expected_row(what, at, reader_of(block));
    for (std::size_t k = 0; k < row.size(); ++k) {
      const float pair[] = {static_cast<float>(row[k].real()), static_cast<float>(row[k].imag())};
      std::memcpy(memory.data() + 8 * (at.transform * 32 + at.outer[0] * 8 + k), pair, sizeof pair);
    }
  };
  for (std::size_t t = 0; t < 3; ++t) {
    for (std::size_t i = 0; i < 4; ++i) put({t, {i}});
  }
  const byte_reader read = reader_of(memory);
  EXPECT_TRUE(truth.judge(read).is_within);
  const float off = 1e-3F;
  std::memcpy(memory.data() + 8 * (2 * 32 + 3 * 8 + 5), &off, sizeof off);  // of the last row
  EXPECT_FALSE(truth.judge(read).is_within);
}

}  // namespace
