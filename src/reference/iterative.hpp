// SPDX-License-Identifier: Apache-2.0
// Radix 2, decimation in time: bit reversal, then log2 N stages of N/2 butterflies
//     (a, b)  ->  (a + w b, a - w b).
#pragma once

#include <complex>
#include <cstddef>  // size_t

#include "reference/bit_reversal.hpp"   // reverse_bits
#include "reference/root_of_unity.hpp"  // row

namespace wingbeat::reference {

/// Replaces x, a power of two long, by its DFT. `roots` holds w^0 .. w^(N/2-1), and their sign is
/// the direction.  Scale: none.  Cost: N/2 log2 N complex multiplications, no memory.
template <class Real>
void iterative(row<Real>& x, const row<Real>& roots) {
  const std::size_t n = x.size();
  reverse_bits(x);
  for (std::size_t half = 1; half < n; half *= 2) {
    const std::size_t stride = n / (2 * half);  // w of length 2 half is w^stride of length n
    for (std::size_t first = 0; first < n; first += 2 * half) {
      for (std::size_t k = 0; k < half; ++k) {
        const std::complex<Real> top = x[first + k];
        const std::complex<Real> twiddled = roots[k * stride] * x[first + k + half];
        x[first + k] = top + twiddled;
        x[first + k + half] = top - twiddled;
      }
    }
  }
}

}  // namespace wingbeat::reference
