// SPDX-License-Identifier: Apache-2.0
// Bins of real transforms of length 2N, one at a time, as a pass of the grid meets them: where the
// two of a mirror pair are in different hands. The formulas are those of device/real.hpp, M = N.
#pragma once

#include "wingbeat/device/complex.hpp"  // complex
#include "wingbeat/device/port.hpp"     // WINGBEAT_FN, WINGBEAT_GLOBAL, size

namespace wingbeat::device::grid {

/// Returns bin k of the real transform from z = Z[k], other = Z[N-k], root = w^k, 0 <= k < N.
/// Bins 0 and N are real: the caller stores Re Z[0] - Im Z[0] at N.
template <class Real>
WINGBEAT_FN complex<Real> separate(complex<Real> z, complex<Real> other, complex<Real> root) {
  const complex<Real> even = z + conj(other);
  const complex<Real> odd = (z - conj(other)) * root;
  return {Real(0.5) * (even.re + odd.im), Real(0.5) * (even.im - odd.re)};
}

/// Returns Z[k] for the inverse from the N+1 bins of a real transform. The imaginary parts of bins
/// 0 and N are not used.
template <size N, class Real, class Bins, class Roots>
WINGBEAT_FN complex<Real> combine(const Bins& bins, size k, const Roots& roots) {
  if (k == 0) {
    const Real first = bins[0].re;
    const Real last = bins[N].re;
    return {first + last, first - last};
  }
  const complex<Real> x = bins[k];
  const complex<Real> other = conj(bins[N - k]);
  // real::combine(...).first, spelled out: that took 1.4 times as long at length 16 on an H200.
  return (x + other) + times_i((x - other) * conj(roots(k)));
}

/// Separates bin k < N of one row, and bin N with bin 0, for transforms of several passes. `bins`
/// takes put(k, X[k]).  Policy: real, total (N).  Scale: none.
template <class Policy, class Bins, class Roots>
WINGBEAT_FN void separate_bin(WINGBEAT_GLOBAL const complex<typename Policy::real>* z,
                              const Bins& bins, size k, const Roots& roots) {
  if (k == 0) {
    bins.put(0, {z[0].re + z[0].im, 0});
    bins.put(Policy::total, {z[0].re - z[0].im, 0});
  } else {
    bins.put(k, separate(z[k], z[Policy::total - k], roots(k)));
  }
}

}  // namespace wingbeat::device::grid
