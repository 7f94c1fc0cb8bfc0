// SPDX-License-Identifier: Apache-2.0
// Factors of lengths that are no powers of two: they multiply to the length, and matrices have the
// sides that kernels rely on.
#include "backend/host/rows/mixed_chain.hpp"

#include <gtest/gtest.h>

#include <algorithm>  // max, min
#include <bit>        // has_single_bit
#include <limits>     // numeric_limits

#include "backend/host/thresholds.hpp"  // limits
#include "wingbeat/good_length.hpp"     // good_length

namespace {

using namespace wingbeat::backend::host;
using wingbeat::good_length;

std::size_t product_of(const chain& factors) {
  std::size_t product = 1;
  for (int i = 0; i < factors.n_stages; ++i) {
    product *= static_cast<std::size_t>(factors.stages[i].radix);
  }
  return product;
}

TEST(mixed_chain, multiplies_to_its_length_with_the_largest_radix_first) {
  for (std::size_t n = good_length(3); n < 30000; n = good_length(n + 1)) {
    const chain factors = mixed_chain(n);
    ASSERT_EQ(factors.length, n);
    ASSERT_EQ(product_of(factors), n);
    for (int i = 1; i < factors.n_stages; ++i) {
      ASSERT_GE(factors.stages[i - 1].radix, factors.stages[i].radix) << n;
    }
  }
}

TEST(mixed_chain, has_larger_primes_between_butterflies) {
  for (const std::size_t n : {17, 34, 127, 289, 1088, 4 * 9 * 17 * 31, 1024 * 37}) {
    EXPECT_TRUE(has_radices(n)) << n;
    const chain factors = mixed_chain(n);
    EXPECT_EQ(product_of(factors), n);
    EXPECT_LE(factors.stages[0].radix, largest_butterfly) << n;
    EXPECT_LE(factors.stages[factors.n_stages - 1].radix, largest_butterfly) << n;
  }
  // Of one too large, and of several, which cost more than a chirp.
  for (const std::size_t n : {1, 131, 2 * 131, 113 * 127, 127 * 127}) EXPECT_FALSE(has_radices(n));
}

TEST(mixed_matrix, has_as_many_columns_as_lanes_and_no_side_too_long) {
  for (const std::size_t width : {2, 4, 8, 16}) {
    for (std::size_t n = good_length(257); n < 200000; n = good_length(n + 1 + n / 500)) {
      if (std::has_single_bit(n)) continue;
      const auto [columns, rows, cost] = matrix_shape_of(n, width, 4);
      ASSERT_EQ(columns.length * rows.length, n);
      ASSERT_EQ(product_of(columns), columns.length);
      ASSERT_EQ(product_of(rows), rows.length);
      ASSERT_GE(rows.length, width) << n;
      ASSERT_LE(std::max(columns.length, rows.length), limits.longest_matrix_side) << n;
    }
  }
}

TEST(transposed_chain, multiplies_to_its_length_and_has_as_many_columns_as_lanes) {
  for (const std::size_t width : {2, 4, 8, 16}) {
    for (std::size_t n = good_length(16); n < 9000; n = good_length(n + 1)) {
      const auto [factors, lanes, cost] = transposed_chain_of(n, width, 16 / std::min(width, 4UL));
      ASSERT_EQ(factors.length, n);
      ASSERT_EQ(product_of(factors), n);
      ASSERT_GE(factors.n_stages, 2);
      ASSERT_LE(lanes, width);
      ASSERT_GE(n / static_cast<std::size_t>(factors.stages[0].radix), lanes) << n;
    }
  }
}

TEST(transposed_chain, does_not_exist_where_no_factor_leaves_as_many_columns_as_lanes) {
  EXPECT_EQ(transposed_chain_of(9, 16, 4).width, 0);
  EXPECT_EQ(transposed_chain_of(9, 16, 4).cost, std::numeric_limits<double>::infinity());
}

}  // namespace
