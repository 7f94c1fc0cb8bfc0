// SPDX-License-Identifier: Apache-2.0
// The measuring instruments: they agree with each other, and see what they must not overlook.
#include "support/oracle.hpp"

#include <gtest/gtest.h>

#include <cmath>  // NAN, isinf

#include "support/signal.hpp"     // noise, impulse, tone
#include "support/tolerance.hpp"  // is_accurate, l2_bound

namespace {

using namespace wingbeat::test;

TEST(oracle, of_large_lengths_agrees_with_the_definition) {
  for (const std::size_t n : {2, 64, 1024}) {
    const auto x = noise<double>(n, /*seed=*/1);
    for (const direction dir : {direction::forward, direction::inverse}) {
      EXPECT_LE(relative_l2(dft(x, dir), dft_by_definition(x, dir)), 0x1p-60L);
    }
  }
}

TEST(oracle, takes_lengths_that_are_no_power_of_two) {
  const auto x = noise<double>(15, /*seed=*/1);
  EXPECT_EQ(dft(x, direction::forward), dft_by_definition<direction::forward>(x));
}

TEST(errors, are_infinite_where_a_value_is_missing_or_not_a_number) {
  const exact expected{{1, 0}, {2, 0}, {3, 0}};
  for (const exact& got :
       {exact{{NAN, 0}, {2, 0}, {3, 0}}, exact{{1, 0}, {2, 0}, {3, NAN}}, exact{{1, 0}, {2, 0}}}) {
    EXPECT_TRUE(std::isinf(max_error(got, expected)));
    EXPECT_TRUE(std::isinf(relative_l2(got, expected)));
    EXPECT_FALSE(is_accurate<float>(got, expected, 4));
  }
  EXPECT_EQ(max_error(expected, expected), 0);
  EXPECT_EQ(relative_l2(expected, expected), 0);
}

TEST(errors, are_what_paper_says) {
  const exact expected{{3, 4}, {0, 0}};
  const exact got{{3, 4}, {0, 0.5L}};
  EXPECT_EQ(max_error(got, expected), 0.5L);
  EXPECT_EQ(relative_l2(got, expected), 0.1L);
}

TEST(tolerance, tells_errors_it_allows_from_errors_it_does_not) {
  const auto x = noise<float>(256, /*seed=*/3);
  const exact expected = dft(x, direction::forward);
  const auto off_by = [&](long double units) {
    exact got = expected;
    for (auto& z : got) z *= 1 + units * unit_roundoff<float>;
    return got;
  };
  EXPECT_TRUE(is_accurate<float>(off_by(2.8L), expected, 256));  // sqrt(8) u are allowed
  EXPECT_FALSE(is_accurate<float>(off_by(2.9L), expected, 256));
  EXPECT_FALSE(is_accurate<double>(off_by(2.8L), expected, 256));

  exact one_wrong = expected;
  one_wrong[7] += 13 * unit_roundoff<float> * largest(expected);
  EXPECT_FALSE(is_accurate<float>(one_wrong, expected, 256));
}

TEST(signals, are_what_their_names_say) {
  const auto x = noise<float>(4096, /*seed=*/4);
  long double sum = 0, most = 0;
  for (const auto& z : x) {
    sum += z.re + z.im;
    most = std::max<long double>(most, std::max(std::abs(z.re), std::abs(z.im)));
  }
  EXPECT_LE(most, 1);
  EXPECT_GT(most, 0.99);
  EXPECT_LE(std::abs(sum), 200);  // about 2.5 sigma of 8192 values
  EXPECT_EQ(max_error(noise<float, 8>(5), noise<float>(8, 5)), 0);

  const auto spectrum = dft(tone<double>(64, 5), direction::forward);
  EXPECT_LE(
      max_error(spectrum, dft(dft(impulse<double>(64, 5), direction::inverse), direction::forward)),
      1e-13);
}

}  // namespace
