// SPDX-License-Identifier: Apache-2.0
// Rows and what is stored of them. Oracle: the roots of src/reference, found another way.
#include "verify/row.hpp"

#include <gtest/gtest.h>

#include "reference/root_of_unity.hpp"  // root_of_unity

namespace {

using namespace wingbeat;
using namespace wingbeat::verify;

TEST(verify_root, agrees_with_the_reference) {
  for (const std::size_t n : {2, 8, 64, 1024, 1 << 24}) {
    for (std::size_t b = 0; b < 64; ++b) {
      const std::size_t k = b * n / 64 + b;
      const value expected =
          reference::root_of_unity<long double>(k, n, device::direction::forward);
      EXPECT_LE(std::abs(root(transform::forward, k, n) - expected), 0x1p-62L) << k << "/" << n;
      EXPECT_EQ(root(transform::inverse, k, n), std::conj(root(transform::forward, k, n)));
    }
  }
}

TEST(verify_row, of_noise_is_held_exactly) {
  for (const domain within : {domain::complex, domain::real, domain::hermitian}) {
    const shape over{4, 2, 8};
    const row x = noise(within, over, /*seed=*/1, /*bits=*/23);
    EXPECT_EQ(rounded(x, precision::fp32), x);  // 24 bits hold it
    for (std::size_t k = 0; k < x.size() && within == domain::hermitian; ++k) {
      EXPECT_EQ(x[mirrored(k, over)], std::conj(x[k])) << k;
    }
  }
}

TEST(verify_row, points_wrap_around_each_axis) {
  const shape over{4, 8};  // point 8 i + j
  EXPECT_EQ(shifted(8 * 3 + 7, 8 * 2 + 3, over), 8 * 1 + 2U);
  EXPECT_EQ(mirrored(8 * 3 + 7, over), 8 * 1 + 1U);
  EXPECT_EQ(mirrored(0, over), 0U);
}

TEST(verify_row, of_a_half_spectrum_is_its_own_mirror) {
  const row x = noise(domain::hermitian, {32}, /*seed=*/2, /*bits=*/52);
  for (std::size_t k = 0; k < 32; ++k) EXPECT_EQ(x[(32 - k) % 32], std::conj(x[k]));
}

TEST(verify_row, has_a_largest_value_even_when_one_is_not_a_number) {
  EXPECT_EQ(largest({{3, 4}, {1, 0}}), 5);
  EXPECT_TRUE(std::isnan(largest({{1, 0}, {NAN, 0}, {2, 0}})));
}

}  // namespace
