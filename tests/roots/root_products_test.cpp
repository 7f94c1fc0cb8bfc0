// SPDX-License-Identifier: Apache-2.0
// Products of roots against roots of the reference engine, for every order up to some thousand.
#include "roots/root_products.hpp"

#include <gtest/gtest.h>

#include <limits>  // numeric_limits

#include "reference/root_of_unity.hpp"  // root_of_unity

namespace {

using namespace wingbeat;

/// A root rounded once is off by up to eps / (2 sqrt 2), one that is not rounded by two products.
template <class Real>
void expect_roots(std::size_t order, std::size_t step, long double bound) {
  const root_products<Real> root_of{order, order / step, step};
  for (std::size_t e = 0; e < order / step; ++e) {
    const std::complex<long double> got{root_of(e)};
    const auto expected =
        reference::root_of_unity<long double>(e * step, order, device::direction::forward);
    ASSERT_LE(std::abs(got - expected), bound * std::numeric_limits<Real>::epsilon())
        << e * step << " of " << order;
  }
}

TEST(root_products, are_right_to_the_last_bit) {
  for (const std::size_t order : {1, 2, 3, 4, 7, 8, 60, 64, 1001, 1024, 4096, 6561}) {
    for (const std::size_t step : {1, 4}) {
      if (order % step != 0) continue;
      expect_roots<float>(order, step, 0.36L);
      expect_roots<double>(order, step, 0.36L);
      expect_roots<long double>(order, step, 4);
    }
  }
}

}  // namespace
