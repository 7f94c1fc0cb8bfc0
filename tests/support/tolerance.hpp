// SPDX-License-Identifier: Apache-2.0
// How accurate a transform of a smooth length must be, with u the unit roundoff of `Real`:
//     relative L2 error       <= c u sqrt(log2 N),  c = 1 for fp32, 1.25 for fp64
//     largest element's error <= 12 u times the largest output
#pragma once

#include <gtest/gtest.h>

#include <cmath>        // log2, sqrt
#include <cstddef>      // size_t
#include <limits>       // numeric_limits
#include <type_traits>  // is_same_v

#include "support/oracle.hpp"  // largest, max_error, relative_l2

namespace wingbeat::test {

/// u: half the distance from 1 to the next number.
template <class Real>
inline constexpr long double unit_roundoff = std::numeric_limits<Real>::epsilon() / 2.0L;

/// Returns the largest relative L2 error allowed at length n.
template <class Real>
long double l2_bound(std::size_t n) {
  constexpr long double c = std::is_same_v<Real, float> ? 1.0L : 1.25L;
  return c * unit_roundoff<Real> * std::sqrt(std::log2(static_cast<long double>(n)));
}

/// Returns the largest element error allowed, as a share of the largest output.
template <class Real>
inline constexpr long double element_bound = 12 * unit_roundoff<Real>;

/// Returns the largest absolute element error allowed in a transform of noise(n): 12 u sqrt n,
/// its outputs having a root mean square of sqrt(2n/3).
template <class Real>
long double rounding_bound(std::size_t n) {
  return element_bound<Real> * std::sqrt(static_cast<long double>(n));
}

/// Returns whether `got`, of length n, agrees with `expected` within both bounds, and says by
/// how much it does not.
///     EXPECT_TRUE(is_accurate<float>(got, dft(x, direction::forward), n));
template <class Real, class Got, class Expected>
::testing::AssertionResult is_accurate(const Got& got, const Expected& expected, std::size_t n) {
  const long double l2 = relative_l2(got, expected);
  const long double element = max_error(got, expected) / largest(expected);
  if (l2 <= l2_bound<Real>(n) && element <= element_bound<Real>) {
    return ::testing::AssertionSuccess();
  }
  return ::testing::AssertionFailure()
         << "length " << n << ": relative L2 error " << l2 / unit_roundoff<Real> << " u of "
         << l2_bound<Real>(n) / unit_roundoff<Real> << " u allowed, largest element error "
         << element / unit_roundoff<Real> << " u of 12 u allowed";
}

}  // namespace wingbeat::test
