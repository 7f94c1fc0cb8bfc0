// SPDX-License-Identifier: Apache-2.0
// Bins of real transforms of length 2N, one at a time, as a pass of the grid meets them: where the
// two of a mirror pair are in different hands. The formulas are those of device/real.hpp, M = N.
#pragma once

#include "wingbeat/device/complex.hpp"     // complex
#include "wingbeat/device/direction.hpp"   // direction
#include "wingbeat/device/port.hpp"        // WINGBEAT_FN
#include "wingbeat/device/thread/dft.hpp"  // turn64

namespace wingbeat::device::grid {

/// Returns bin k of the real transform from z = Z[k], other = Z[N-k], root = w^k, 0 <= k < N; and
/// bin N from z = Z[0], other = Z[0] (of a plane Z[-k1][0]), root = -1.
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

/// Z[0] for an unscaled inverse from x = X[0] and last = X[N], of which the real parts count:
///     Z[0] = own + conj(shown)
///     own = (1+i)/2 x + (1-i)/2 last,  shown = (1-i)/2 x + (1+i)/2 last
/// Of a plane `own` is of row k1 and `shown` of row -k1: the part that a real plane has.
template <class Real>
struct ends_of_row {
  complex<Real> own, shown;

  WINGBEAT_FN ends_of_row(complex<Real> x, complex<Real> last) {
    const complex<Real> sum = scaled(x + last, Real(0.5));
    const complex<Real> turned = scaled(times_i(x - last), Real(0.5));
    own = sum + turned;
    shown = sum - turned;
  }
};

/// Returns w^(i + r N/E), w of order 2N, from w^i: of a thread that holds each N/E-th of N bins.
template <unsigned E, class Real>
WINGBEAT_FN complex<Real> root_after(complex<Real> first, unsigned r) {
  return thread::turn64<direction::forward>(first, r * (32 / E));
}

}  // namespace wingbeat::device::grid
