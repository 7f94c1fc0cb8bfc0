// SPDX-License-Identifier: Apache-2.0
// Divide and conquer: with E and O the transforms of the even and the odd samples,
//     X[k] = E[k] + w^k O[k],   X[k + N/2] = E[k] - w^k O[k],   k < N/2.
#pragma once

#include <complex>
#include <cstddef>  // size_t

#include "reference/root_of_unity.hpp"  // row

namespace wingbeat::reference {

/// Returns the DFT of x, a power of two long. `roots` holds w^0, w^1, ... of the outermost length,
/// and their sign is the direction; w^k of this level is roots[k * stride].
/// Scale: none.  Cost: N/2 log2 N complex multiplications, N log2 N values copied.
template <class Real>
row<Real> recursive(const row<Real>& x, const row<Real>& roots, std::size_t stride = 1) {
  if (x.size() == 1) return x;

  const std::size_t half = x.size() / 2;
  row<Real> even(half), odd(half);
  for (std::size_t j = 0; j < half; ++j) {
    even[j] = x[2 * j];
    odd[j] = x[2 * j + 1];
  }
  even = recursive(even, roots, 2 * stride);
  odd = recursive(odd, roots, 2 * stride);

  row<Real> spectrum(x.size());
  for (std::size_t k = 0; k < half; ++k) {
    const std::complex<Real> twiddled = roots[k * stride] * odd[k];
    spectrum[k] = even[k] + twiddled;
    spectrum[k + half] = even[k] - twiddled;
  }
  return spectrum;
}

}  // namespace wingbeat::reference
