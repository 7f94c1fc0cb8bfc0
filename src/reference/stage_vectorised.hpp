// SPDX-License-Identifier: Apache-2.0
// Radix 2 with no loop over butterflies: each stage is four operations on whole arrays, as for a
// vector machine. A stage sees x as [group][upper, lower][k].
#pragma once

#include <algorithm>  // copy
#include <complex>
#include <cstddef>   // size_t
#include <iterator>  // begin, end
#include <valarray>  // gslice, valarray

#include "reference/bit_reversal.hpp"   // reverse_bits
#include "reference/mixed_radix.hpp"    // require_power_of_two
#include "reference/root_of_unity.hpp"  // row

namespace wingbeat::reference {

/// Replaces x, a power of two long, by its DFT. `roots` holds w^0 .. w^(N/2-1), and their sign is
/// the direction.  Scale: none.  Memory: four arrays of N/2.
/// Throws `plan_error` for other lengths.
template <class Real>
void stage_vectorised(row<Real>& x, const row<Real>& roots) {
  using values = std::valarray<std::complex<Real>>;
  const std::size_t n = x.size();
  require_power_of_two(n, "stage_vectorised");
  reverse_bits(x);
  values points(x.data(), n);
  const values half_circle(roots.data(), n / 2);

  for (std::size_t half = 1; half < n; half *= 2) {
    const std::size_t groups = n / (2 * half);
    const std::valarray<std::size_t> shape{groups, half};  // [group][k]
    const std::gslice upper(0, shape, {2 * half, 1});
    const std::gslice lower(half, shape, {2 * half, 1});
    const std::gslice angles(0, shape, {0, groups});  // every group reads the same roots

    const values top = points[upper];
    const values twiddled = values(half_circle[angles]) * values(points[lower]);
    points[upper] = top + twiddled;
    points[lower] = top - twiddled;
  }
  std::copy(std::begin(points), std::end(points), x.begin());
}

}  // namespace wingbeat::reference
