// SPDX-License-Identifier: Apache-2.0
// Bins of real transforms of length 2N, one at a time, as a pass of the grid meets them: where the
// two of a mirror pair are in different hands. The formulas are those of device/real.hpp, M = N.
#pragma once

#include "wingbeat/device/complex.hpp"  // complex
#include "wingbeat/device/port.hpp"     // WINGBEAT_FN

namespace wingbeat::device::grid {

/// Returns bin k of the real transform from z = Z[k], other = Z[N-k], root = w^k, 0 <= k < N.
/// Bins 0 and N are real: the caller stores Re Z[0] - Im Z[0] at N.
template <class Real>
WINGBEAT_FN complex<Real> separate(complex<Real> z, complex<Real> other, complex<Real> root) {
  const complex<Real> even = z + conj(other);
  const complex<Real> odd = (z - conj(other)) * root;
  return {Real(0.5) * (even.re + odd.im), Real(0.5) * (even.im - odd.re)};
}

/// Returns Z[k], 0 < k < N, for an unscaled inverse from x = X[k], other = X[N-k] and w^k.
template <class Real>
WINGBEAT_FN complex<Real> combine(complex<Real> x, complex<Real> other, complex<Real> root) {
  const complex<Real> mirrored = conj(other);
  return (x + mirrored) + times_i((x - mirrored) * conj(root));
}

}  // namespace wingbeat::device::grid
