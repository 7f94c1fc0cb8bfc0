// SPDX-License-Identifier: Apache-2.0
// Factors of lengths that are no powers of two: they multiply to the length, and matrices have the
// sides that kernels rely on.
#include "backend/host/rows/mixed_chain.hpp"

#include <gtest/gtest.h>

#include <algorithm>  // max
#include <bit>        // has_single_bit

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

TEST(mixed_matrix, has_as_many_columns_as_lanes_and_no_side_too_long) {
  const std::size_t first = limits.longest_in_lanes + 1;
  for (const std::size_t width : {2, 4, 8, 16}) {
    for (std::size_t n = good_length(first); n < 200000; n = good_length(n + 1 + n / 500)) {
      if (std::has_single_bit(n)) continue;
      const auto [columns, rows] = matrix_shape_of(n, width);
      ASSERT_EQ(columns.length * rows.length, n);
      ASSERT_EQ(product_of(columns), columns.length);
      ASSERT_EQ(product_of(rows), rows.length);
      ASSERT_GE(rows.length, width) << n;
      ASSERT_LE(std::max(columns.length, rows.length), limits.longest_matrix_side) << n;
    }
  }
}

}  // namespace
