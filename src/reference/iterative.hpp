// SPDX-License-Identifier: Apache-2.0
// Radix 2, decimation in time: bit reversal, then log2 N stages of N/2 butterflies
//     (a, b)  ->  (a + w b, a - w b).
// Lengths that are no power of two have a digit and a stage for each prime factor: mixed_radix.hpp.
#pragma once

#include <bit>  // has_single_bit
#include <complex>
#include <cstddef>  // size_t

#include "reference/bit_reversal.hpp"   // reverse_bits
#include "reference/mixed_radix.hpp"    // mixed_radix
#include "reference/root_of_unity.hpp"  // row

namespace wingbeat::reference {

/// Returns how many roots `iterative` and `recursive` take: N/2 of a power of two, otherwise N.
constexpr std::size_t n_roots_of(std::size_t n) {
  return std::has_single_bit(n) ? n / 2 : n;
}

/// Replaces x by its DFT. `roots` holds w^0, w^1, .., `n_roots_of` them; their sign is the
/// direction.  Scale: none.  Cost: for powers of two N/2 log2 N complex multiplications, no memory.
template <class Real>
void iterative(row<Real>& x, const row<Real>& roots) {
  const std::size_t n = x.size();
  if (!std::has_single_bit(n)) return mixed_radix(x, roots);
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
