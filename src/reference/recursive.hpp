// SPDX-License-Identifier: Apache-2.0
// Divide and conquer by the smallest prime factor P of N. S_r is the transform of the N/P samples
// x[r], x[r + P], x[r + 2 P], ..:
//     X[k] = sum_r w^(rk) S_r[k mod N/P],
// which for P = 2 is  X[k] = E[k] + w^k O[k],   X[k + N/2] = E[k] - w^k O[k],   k < N/2.
#pragma once

#include <complex>
#include <cstddef>  // size_t

#include "reference/mixed_radix.hpp"    // smallest_factor
#include "reference/root_of_unity.hpp"  // row

namespace wingbeat::reference {

template <class Real>
row<Real> recursive(const row<Real>& x, const row<Real>& roots, std::size_t stride = 1);

/// Returns the DFT of x, of any length, like `recursive` but with `factor` parts.
template <class Real>
row<Real> recursive_by(std::size_t factor, const row<Real>& x, const row<Real>& roots,
                       std::size_t stride) {
  const std::size_t n = x.size(), part = n / factor;
  row<Real> spectrum(n);
  row<Real> samples(part);
  for (std::size_t r = 0; r < factor; ++r) {
    for (std::size_t j = 0; j < part; ++j) samples[j] = x[factor * j + r];
    const row<Real> bins = recursive(samples, roots, factor * stride);
    for (std::size_t k = 0; k < n; ++k) {
      spectrum[k] += r == 0 ? bins[k % part] : roots[r * k % n * stride] * bins[k % part];
    }
  }
  return spectrum;
}

/// Returns the DFT of x, of any length; large prime factors cost their square. `roots` holds w^0,
/// w^1, ... of the outermost length N: N of them, or N/2 if N is a power of two; their sign is the
/// direction. w^k of this level is roots[k * stride].
/// Scale: none.  Cost: N/2 log2 N complex multiplications, N log2 N values copied, for powers of
/// two; otherwise N multiplications for each prime factor P, P times.
template <class Real>
row<Real> recursive(const row<Real>& x, const row<Real>& roots, std::size_t stride) {
  if (x.size() == 1) return x;
  const std::size_t factor = smallest_factor(x.size());
  if (factor != 2) return recursive_by(factor, x, roots, stride);

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
