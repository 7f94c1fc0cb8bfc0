// SPDX-License-Identifier: Apache-2.0
// Oracle: values known in closed form, and the angle itself where no reduction is needed.
#include "reference/root_of_unity.hpp"

#include <gtest/gtest.h>

#include <cmath>  // cos, sin

namespace {

using namespace wingbeat::reference;

constexpr long double tiny = 0x1p-62L;

TEST(root_of_unity, is_exact_at_the_quarter_turns) {
  using z = std::complex<double>;
  EXPECT_EQ(root_of_unity<double>(0, 8, direction::forward), z(1, 0));
  EXPECT_EQ(root_of_unity<double>(2, 8, direction::forward), z(0, -1));
  EXPECT_EQ(root_of_unity<double>(4, 8, direction::forward), z(-1, 0));
  EXPECT_EQ(root_of_unity<double>(6, 8, direction::forward), z(0, 1));
  EXPECT_EQ(root_of_unity<double>(2, 8, direction::inverse), z(0, 1));
}

TEST(root_of_unity, equals_the_exponential_of_its_angle) {
  for (const std::size_t n : {3, 5, 8, 12, 60, 64, 97}) {
    for (std::size_t k = 0; k < n; ++k) {
      const long double angle = 2 * std::numbers::pi_v<long double> * k / n;
      const auto w = root_of_unity<long double>(k, n, direction::forward);
      EXPECT_NEAR(w.real(), std::cos(angle), 4 * tiny) << k << "/" << n;
      EXPECT_NEAR(w.imag(), -std::sin(angle), 4 * tiny) << k << "/" << n;
    }
  }
}

TEST(root_of_unity, repeats_after_n_without_loss) {
  constexpr std::size_t n = std::size_t{1} << 24;
  const std::size_t k = 12'345'677;
  EXPECT_EQ(root_of_unity<long double>(k, n, direction::forward),
            root_of_unity<long double>(k + 1000 * n, n, direction::forward));
}

TEST(root_of_unity, of_the_inverse_is_the_conjugate) {
  for (std::size_t k = 0; k < 48; ++k) {
    EXPECT_EQ(root_of_unity<float>(k, 48, direction::inverse),
              std::conj(root_of_unity<float>(k, 48, direction::forward)));
  }
}

}  // namespace
