// SPDX-License-Identifier: Apache-2.0
// Real signals through complex transforms. Both tricks rest on conj X[-k] = X[k] of a real x.
//
// Packed: N = 2M reals as z[j] = x[2j] + i x[2j+1]. With Z its DFT of length M, w = exp(-2 pi i/N),
//     X[k]   = E + w^k O          E = (Z[k] + conj Z[M-k]) / 2
//     X[M-k] = conj(E - w^k O)    O = -i (Z[k] - conj Z[M-k]) / 2,     0 < k < M
//     X[0] = Re Z[0] + Im Z[0],   X[M] = Re Z[0] - Im Z[0],   X[M/2] = conj Z[M/2].
// Two signals: z = x + i y.  X[k] = (Z[k] + conj Z[-k]) / 2,  Y[k] = -i (Z[k] - conj Z[-k]) / 2.
#pragma once

#include "wingbeat/device/complex.hpp"  // complex
#include "wingbeat/device/port.hpp"     // WINGBEAT_FN

namespace wingbeat::device::real {

/// Two complex numbers: bins k and M-k, or the bins of two signals.
template <class Real>
struct pair {
  complex<Real> first;
  complex<Real> second;
};

/// Returns X[k] and X[M-k] from Z[k], Z[M-k] and w^k. `scale` is 1 if Z is already halved.
template <class Real>
WINGBEAT_FN pair<Real> separate(complex<Real> z, complex<Real> mirrored, complex<Real> root,
                                Real scale = Real(0.5)) {
  const complex<Real> even = scaled(z + conj(mirrored), scale);
  const complex<Real> odd = scaled((z - conj(mirrored)) * root, scale);
  const complex<Real> odd_part{odd.im, -odd.re};  // -i odd
  return {even + odd_part, conj(even - odd_part)};
}

/// Returns 2 Z[k] and 2 Z[M-k] from X[k], X[M-k] and w^k: an unscaled inverse then leaves N x.
template <class Real>
WINGBEAT_FN pair<Real> combine(complex<Real> x, complex<Real> mirrored, complex<Real> root) {
  const complex<Real> even = x + conj(mirrored);
  const complex<Real> odd = times_i((x - conj(mirrored)) * conj(root));
  return {even + odd, conj(even - odd)};
}

/// Returns X[k] and Y[k] of two real signals from Z[k] and Z[-k].
template <class Real>
WINGBEAT_FN pair<Real> unpack(complex<Real> z, complex<Real> mirrored) {
  const complex<Real> x = scaled(z + conj(mirrored), Real(0.5));
  const complex<Real> y = scaled(z - conj(mirrored), Real(0.5));
  return {x, {y.im, -y.re}};
}

/// Returns Z[k] and Z[-k] of x + i y from X[k] and Y[k].
template <class Real>
WINGBEAT_FN pair<Real> pack(complex<Real> x, complex<Real> y) {
  return {x + times_i(y), conj(x) + times_i(conj(y))};
}

}  // namespace wingbeat::device::real
