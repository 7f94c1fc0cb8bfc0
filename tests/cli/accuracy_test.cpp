// SPDX-License-Identifier: Apache-2.0
// The bench's judge: noise that every library may read, and transforms that the definition agrees
// with.
#include "verify/sample.hpp"

#include <gtest/gtest.h>

#include <algorithm>  // max, min
#include <chrono>
#include <cmath>
#include <complex>
#include <string>
#include <utility>  // pair
#include <vector>

#include "cli/sweep.hpp"         // problems_of
#include "request/resolved.hpp"  // input_array, output_array
#include "verify/judge.hpp"      // judge

namespace {

using namespace wingbeat;
using namespace wingbeat::cli;
using namespace wingbeat::verify;
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
std::vector<std::complex<double>> whole(const arrays::array& array, std::size_t transform,
                                        const byte_reader& read) {
  std::size_t rows = 1;
  for (std::size_t a = 0; a + 1 < array.axes.size(); ++a) rows *= array.axes[a].length;
  std::vector<std::complex<double>> result;
  for (std::size_t r = 0; r < rows; ++r) {
    const auto row = row_of(array, transform * rows + r, read);
    result.insert(result.end(), row.begin(), row.end());
  }
  return result;
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

/// Returns whether element i of a whole output transform is of the sample.
bool is_in(const output_sample& sample, std::size_t i, const arrays::array& out) {
  for (std::size_t a = out.axes.size(); a-- > 0; i /= out.axes[a].length) {
    const std::size_t k = i % out.axes[a].length;
    const auto [first, step] = sample.axes[a];
    if (k < first || (k - first) % step != 0) return false;
  }
  return true;
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

/// All elements of one transform.
output_sample whole_of(const plan_spec& spec, std::size_t transform) {
  return {transform, std::vector<output_sample::axis>(spec.lengths.size())};
}

TEST_P(accuracy, transforms_of_two_axes_are_the_double_sum) {
  constexpr std::size_t n0 = 4, n1 = 8;
  for (const std::string layout : {"packed", "planar", "interleaved", "strided=3", "padded=1"}) {
    const plan_spec spec = problem("4x8", GetParam(), layout);
    const auto block = noise_block(spec);
    const auto read = reader_of(block);
    for (const std::size_t t : {0U, 2U}) {
      auto x = whole(request::input_array(spec), t, read);
      if (spec.kind == transform::inverse_to_real) x = completed(x, n0, n1);
      const int sign =
          GetParam().find("inverse") != std::string::npos || GetParam() == "c2r" ? 1 : -1;
      const auto got = expected_sample(spec, whole_of(spec, t), read);
      const std::size_t row_length = request::output_array(spec).axes.back().length;
      ASSERT_EQ(got.size(), n0 * row_length);
      for (std::size_t k = 0; k < got.size(); ++k) {
        const z exact = by_definition(x, n0, n1, k / row_length, k % row_length, sign);
        EXPECT_LT(std::abs(z{got[k]} - exact), 1e-14L)
            << layout << " transform " << t << " at " << k;
      }
    }
  }
}

class accuracy_samples : public ::testing::TestWithParam<std::string> {};

TEST_P(accuracy_samples, are_elements_of_the_whole_transform) {
  for (const std::string lengths : {"256", "4x64", "8x4x16", "2x16x2"}) {
    const plan_spec spec = problem(lengths, GetParam(), "packed");
    const auto block = noise_block(spec);
    const auto read = reader_of(block);
    const auto expected = expected_sample(spec, whole_of(spec, 2), read);
    for (const std::size_t first : {0U, 1U, 3U}) {
      output_sample sample{2};
      for (const std::size_t n : spec.lengths) {
        const std::size_t step = std::min<std::size_t>(n, 4);
        sample.axes.push_back({std::min(first, step - 1), step});
      }
      const auto sampled = expected_sample(spec, sample, read);
      std::size_t m = 0;
      for (std::size_t i = 0; i < expected.size(); ++i) {
        if (!is_in(sample, i, request::output_array(spec))) continue;
        ASSERT_LT(m, sampled.size());
        EXPECT_LT(std::abs(sampled[m++] - expected[i]), 1e-13) << lengths << first << i;
      }
      EXPECT_EQ(m, sampled.size());
    }
  }
}

TEST(oracle, takes_a_chirp_for_long_primes) {
  const plan_spec spec = problem("65537", "c2c", "packed", "fp32");
  const auto block = noise_block(spec);
  const auto read = reader_of(block);
  const auto begin = std::chrono::steady_clock::now();
  const auto bins = expected_sample(spec, whole_of(spec, 0), read);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds{20});
  ASSERT_EQ(bins.size(), 65537U);
  for (const std::size_t k : {0U, 1U, 40000U, 65536U}) {
    const auto alone = expected_sample(spec, {0, {{k, 65537}}}, read);
    EXPECT_LT(std::abs(alone.front() - bins[k]), 1e-10) << k;
  }
}

TEST(oracle, looks_at_some_elements_of_long_rows) {
  const plan_spec spec = problem("2^21", "r2c", "packed", "fp32");
  const auto block = noise_block(spec);
  const judge truth{{spec, reader_of(block), spec.real}, check_extent::few};
  EXPECT_EQ(truth.n_samples(), 3U);
  EXPECT_NEAR(static_cast<double>(truth.n_elements()), 3 * 2048, 3);
}

TEST(oracle, looks_at_whole_transforms_of_several_axes_within_its_limit) {
  for (const auto& [lengths, n_elements] :
       std::vector<std::pair<std::string, std::size_t>>{{"128x2", 256},
                                                        {"2x2x2", 8},
                                                        {"512x256", 1 << 17},
                                                        {"2048x1024", 1 << 16},
                                                        {"2^17x2", 1 << 13}}) {
    const plan_spec spec = problem(lengths, "c2c", "packed", "fp32");
    const auto block = noise_block(spec);
    const judge truth{{spec, reader_of(block), spec.real}, check_extent::few};
    EXPECT_EQ(truth.n_samples(), 3U) << lengths;
    EXPECT_EQ(truth.n_elements(), 3 * n_elements) << lengths;
  }
}

std::string name_of_kind(const ::testing::TestParamInfo<std::string>& kind) {
  std::string name = kind.param;
  for (char& c : name) c = c == '-' ? '_' : c;
  return name;
}

const auto complex_kinds = ::testing::Values("c2c", "c2c-inverse", "r2c", "c2r");
INSTANTIATE_TEST_SUITE_P(complex, accuracy, complex_kinds, name_of_kind);
INSTANTIATE_TEST_SUITE_P(complex, accuracy_samples, complex_kinds, name_of_kind);
INSTANTIATE_TEST_SUITE_P(reals, accuracy_samples,
                         ::testing::Values("dct1", "dct2", "dct3", "dct4", "dst1", "dst2", "dst3",
                                           "dst4", "dht"),
                         name_of_kind);

TEST(noise, of_half_spectra_is_that_of_real_signals) {
  for (const std::string layout : {"packed", "in-place", "planar", "interleaved"}) {
    const plan_spec spec = problem("4x8", "c2r", layout);
    const auto block = noise_block(spec);
    const auto bins = whole(request::input_array(spec), 1, reader_of(block));
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
    const plan_spec spec = problem("1024", "c2c", "packed", precision);
    const auto block = noise_block(spec);
    double least = 1, most = -1, sum = 0;
    for (const auto& x : row_of(request::input_array(spec), 1, reader_of(block))) {
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
  plan_spec spec = problem("1024", "c2c", "packed");
  spec.batch = 5000;  // 80 MB
  const auto block = noise_block(spec);
  const auto read = reader_of(block);
  ASSERT_LT(block.size(), input_bytes(spec));
  const std::size_t period = block.size() / (1024 * 16);
  const arrays::array in = request::input_array(spec);
  EXPECT_EQ(row_of(in, period + 1, read), row_of(in, 1, read));
  EXPECT_NE(row_of(in, 2, read), row_of(in, 1, read));
}

}  // namespace
