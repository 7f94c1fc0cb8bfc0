// SPDX-License-Identifier: Apache-2.0
// The verdict on an engine: right results pass, results just beyond the table fail.
#include "verify/agreement.hpp"

#include <gtest/gtest.h>

#include <cmath>   // isinf
#include <limits>  // numeric_limits
#include <vector>

namespace {

using namespace wingbeat::verify;
using wingbeat::precision;
using wingbeat::arrays::element;
using numbers = std::vector<double>;

constexpr double u_fp32 = 0x1p-24, u_fp64 = 0x1p-53;

/// N complex values of magnitude 1, and the same with every real part moved by `by`.
agreement moved(double factor, precision real, std::size_t n) {
  numbers expected(2 * n), result(2 * n);
  for (std::size_t i = 0; i < 2 * n; i += 2) {
    expected[i] = 1;
    result[i] = 1 + factor;
  }
  return compare(result, expected, element::complex, {static_cast<long double>(n), real});
}

TEST(agreement, holds_within_the_bound_and_breaks_beyond_it) {
  constexpr std::size_t n = 1 << 16;  // sqrt(log2 N) = 4
  EXPECT_TRUE(moved(3.99 * u_fp32, precision::fp32, n).is_within);
  EXPECT_FALSE(moved(4.01 * u_fp32, precision::fp32, n).is_within);
  EXPECT_TRUE(moved(5 * u_fp64, precision::fp64, n).is_within);
  EXPECT_FALSE(moved(6 * u_fp64, precision::fp64, n).is_within);
}

TEST(agreement, allows_a_short_row_its_luck) {
  EXPECT_TRUE(moved(3.99 * u_fp32, precision::fp32, 64).is_within);
  EXPECT_FALSE(moved(4.01 * u_fp32, precision::fp32, 64).is_within);
  EXPECT_FALSE(moved(3.99 * u_fp32, precision::fp32, 128).is_within);
}

TEST(agreement, allows_one_sampled_element_its_luck) {
  const auto is_within = [](double error, double share_l2) {
    const numbers expected{1, 0}, result{1 + error, 0};
    return compare(result, expected, element::complex, {1 << 16, precision::fp32},
                   {.share_l2 = share_l2})
        .is_within;
  };
  EXPECT_TRUE(is_within(9.9 * u_fp32, 1e-30));  // 2.5 * sqrt(log2 N)
  EXPECT_FALSE(is_within(10.1 * u_fp32, 1e-30));
  EXPECT_FALSE(is_within(4.1 * u_fp32, 0));
}

TEST(agreement, measures_what_it_names) {
  const numbers expected{3, 4, 0, 0}, result{3, 4.5, 0, 1e-5};
  const agreement a = compare(result, expected, element::complex, {2, precision::fp32});
  EXPECT_DOUBLE_EQ(a.largest_value, 5);
  EXPECT_DOUBLE_EQ(a.largest_error, 0.5);
  EXPECT_NEAR(a.relative_l2, 0.1, 1e-9);
  EXPECT_EQ(a.n_values, 2);
  EXPECT_EQ(a.n_off, 1);
  EXPECT_FALSE(a.is_within);
}

TEST(agreement, one_wild_value_breaks_the_bound_on_the_largest) {
  constexpr std::size_t n = 1 << 16;
  numbers expected(2 * n, 1), result(2 * n, 1);
  result[7] += 20 * u_fp32;  // invisible in the norm of 65536 values
  const agreement a = compare(result, expected, element::complex, {n, precision::fp32});
  EXPECT_LE(a.relative_l2, a.relative_l2_bound);
  EXPECT_FALSE(a.is_within);
}

TEST(agreement, functors_round_and_underflow_too) {
  const numbers expected(2 << 16, 1);
  numbers result = expected;
  for (double& x : result) x += 8.9 * u_fp32;  // sqrt(log2 N) = 4, and 5 of functors
  computation how{1 << 16, precision::fp32};
  EXPECT_FALSE(compare(result, expected, element::complex, how).is_within);
  how.n_roundings = 5;
  const agreement a = compare(result, expected, element::complex, how);
  EXPECT_TRUE(a.is_within);
  EXPECT_NEAR(a.relative_l2_bound, 9 * u_fp32, 1e-12);
  const numbers quiet{1e-20, 0};
  EXPECT_FALSE(compare(numbers{0, 0}, quiet, element::complex, how).is_within);
  how.floor = 1e-19;
  EXPECT_TRUE(compare(numbers{0, 0}, quiet, element::complex, how).is_within);
}

TEST(agreement, shows_the_bound_that_is_broken) {
  const computation how{1 << 16, precision::fp32};
  const numbers expected(2 << 10, 1);
  agreement a = compare(expected, expected, element::complex, how, {.share_l2 = 1});
  add_norms(a, 1 + 5 * u_fp32, 1, 1 << 16, how);
  EXPECT_FALSE(a.is_within);
  EXPECT_NEAR(a.relative_l2, 5 * u_fp32, 1e-12);
  EXPECT_NEAR(a.relative_l2_bound, 4 * u_fp32, 1e-12) << "not that of the sample";
  EXPECT_EQ(breach_text(a), "relative L2 2.98e-07, 2.38e-07 is allowed");
}

TEST(agreement, nan_and_infinity_never_agree) {
  for (const double wrong :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    const agreement a =
        compare(numbers{1, wrong}, numbers{1, 1}, element::real, {2, precision::fp32});
    EXPECT_FALSE(a.is_within);
    EXPECT_EQ(a.n_off, 1);
    EXPECT_TRUE(std::isinf(a.largest_error));
  }
}

TEST(agreement, silence_agrees_with_silence_alone) {
  EXPECT_TRUE(compare(numbers(4), numbers(4), element::complex, {2, precision::fp32}).is_within);
  EXPECT_FALSE(compare(numbers{0, 0, 1e-3, 0}, numbers(4), element::complex, {2, precision::fp32})
                   .is_within);
}

}  // namespace
