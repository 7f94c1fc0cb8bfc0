// SPDX-License-Identifier: Apache-2.0
// DFTs of 2, 4, 8, 16 and 32 points made of fused multiply-adds, and the same with the twiddles of
// a stage before them. Results differ from those of the others by rounding.
//
// A butterfly of two with a root w is six operations:
//     p = a + w b     four, w multiplied in as it is added
//     q = a - w b = 2 a - p
// and if w = C (1 - i t) is a constant, |t| <= 1, two for b (1 - i t) and four for a +- C b
// (E. Linzer and E. Feig, "Implementation of efficient FFT algorithms on fused multiply-add
// architectures", 1993). Twiddles w^q of inputs q only need w to powers of two: a butterfly of S
// points out of R has the roots w^(R/S) v^k, v of order S; those of k and k + S/4 differ by a
// quarter turn.
//
// Operations, of R points:         2   4    8   16    32
//     without twiddles             4  16   52  148   388
//     with them                    6  24   76  208   524   4 (R/2 - log2 R) of which make roots,
//                                                          which butterflies of the same w share
#pragma once

#include "wingbeat/device/complex.hpp"     // complex
#include "wingbeat/device/direction.hpp"   // direction, opposite
#include "wingbeat/device/index.hpp"       // bits_reversed, log2_of
#include "wingbeat/device/port.hpp"        // WINGBEAT_FN, multiply_add
#include "wingbeat/device/thread/dft.hpp"  // dft, live_of, quarter_turn, times_root

namespace wingbeat::device::thread {

/// Replaces a and b by a + w b and a - w b; by those with conj(w) for the inverse.
template <direction Dir, class Real>
WINGBEAT_FN constexpr void fused_butterfly(complex<Real>& a, complex<Real>& b, complex<Real> w) {
  const Real im = Dir == direction::forward ? w.im : -w.im;
  const complex<Real> sum{multiply_add(-im, b.im, multiply_add(w.re, b.re, a.re)),
                          multiply_add(im, b.re, multiply_add(w.re, b.im, a.im))};
  b = {multiply_add(Real(2), a.re, -sum.re), multiply_add(Real(2), a.im, -sum.im)};
  a = sum;
}

/// Replaces a and b by a + w^e b and a - w^e b, w of order `Order`, 0 <= e < Order/2; e is a
/// constant after unrolling.
template <direction Dir, unsigned Order, class Real>
WINGBEAT_FN constexpr void constant_butterfly(complex<Real>& a, complex<Real>& b, unsigned e) {
  static_assert(32 % Order == 0, "the eighth of a circle below has roots of orders that divide 32");
  // cos and tan of pi e / 16
  const Real cosine[5] = {Real(1), Real(0.98078528040323044913), Real(0.92387953251128675613),
                          Real(0.83146961230254523708), Real(0.70710678118654752440)};
  const Real tangent[5] = {Real(0), Real(0.19891236737965800691), Real(0.41421356237309504880),
                           Real(0.66817863791929891999), Real(1)};
  e *= 32 / Order;
  complex<Real> z = b;
  if (e >= 8) z = quarter_turn<Dir>(z);
  e %= 8;
  const bool is_beyond = e > 4;  // then a quarter turn, and back
  if (is_beyond) {
    z = quarter_turn<Dir>(z);
    e = 8 - e;
  }
  if (e == 0) {
    b = a - z;
    a = a + z;
    return;
  }
  const Real t = (Dir == direction::forward) != is_beyond ? tangent[e] : -tangent[e];
  const complex<Real> turned{multiply_add(t, z.im, z.re), multiply_add(-t, z.re, z.im)};
  const Real c = cosine[e];
  b = {multiply_add(-c, turned.re, a.re), multiply_add(-c, turned.im, a.im)};
  a = {multiply_add(c, turned.re, a.re), multiply_add(c, turned.im, a.im)};
}

/// Replaces x by its DFT, R a power of two up to 32; x[Live] and those behind it are known zeros.
template <direction Dir, unsigned Live, class Real, unsigned R>
WINGBEAT_FN constexpr void fused_dft(complex<Real> (&x)[R]) {
  if constexpr (R <= 4 || Live == 1) {
    dft<Dir, Live>(x);
  } else {
    complex<Real> even[R / 2], odd[R / 2];
    WINGBEAT_UNROLL
    for (unsigned j = 0; j < R / 2; ++j) {
      even[j] = x[2 * j];
      odd[j] = x[2 * j + 1];
    }
    fused_dft<Dir, live_of(Live, 0, 2)>(even);
    fused_dft<Dir, live_of(Live, 1, 2)>(odd);
    WINGBEAT_UNROLL
    for (unsigned k = 0; k < R / 2; ++k) {
      constant_butterfly<Dir, R>(even[k], odd[k], k);
      x[k] = even[k];
      x[k + R / 2] = odd[k];
    }
  }
}

/// Makes the butterflies of S points and more of R, x in the order of its bits reversed; power[l] =
/// w^(2^l), forward. A root is made when it is needed, and serves all butterflies that have it.
template <direction Dir, unsigned S, class Real, unsigned R, unsigned Powers>
WINGBEAT_FN constexpr void butterfly_levels(complex<Real> (&x)[R],
                                            const complex<Real> (&power)[Powers]) {
  static_assert(Powers == log2_of(R), "one root for each power of two below R");
  constexpr unsigned apart = S / 2, turned_from = S == 2 ? 1 : S / 4;
  WINGBEAT_UNROLL
  for (unsigned k = 0; k < turned_from; ++k) {
    const complex<Real> root = times_root<direction::forward, S>(power[log2_of(R / S)], k);
    WINGBEAT_UNROLL
    for (unsigned first = k; first < R; first += S) {
      fused_butterfly<Dir>(x[first], x[first + apart], root);
      if constexpr (S > 2) {
        complex<Real>& z = x[first + turned_from + apart];
        z = quarter_turn<Dir>(z);
        fused_butterfly<Dir>(x[first + turned_from], z, root);
      }
    }
  }
  if constexpr (S < R) butterfly_levels<Dir, 2 * S>(x, power);
}

/// Replaces x by the DFT of x[q] w^q; power[l] = w^(2^l), forward.
template <direction Dir, class Real, unsigned R, unsigned Powers>
WINGBEAT_FN constexpr void twiddled_dft(complex<Real> (&x)[R],
                                        const complex<Real> (&power)[Powers]) {
  complex<Real> y[R];
  WINGBEAT_UNROLL
  for (unsigned q = 0; q < R; ++q) y[q] = x[bits_reversed(q, Powers)];
  butterfly_levels<Dir, 2>(y, power);
  WINGBEAT_UNROLL
  for (unsigned q = 0; q < R; ++q) x[q] = y[q];
}

/// Replaces y by the DFT of y[q] w^(q k), w = exp(-2 pi i / (P R)), with the roots of a stage:
/// [row][entry], of w^(2^row k). Without prior length, y[Live] and those behind it are known zeros.
template <direction Dir, unsigned Prior, unsigned Live, class Real, unsigned R>
WINGBEAT_FN void fused_stage(complex<Real> (&y)[R], WINGBEAT_GLOBAL const complex<Real>* stage,
                             unsigned entry) {
  if constexpr (Prior == 1) {
    fused_dft<Dir, Live>(y);
  } else {
    constexpr unsigned powers = log2_of(R);
    complex<Real> power[powers];
    WINGBEAT_UNROLL
    for (unsigned l = 0; l < powers; ++l) power[l] = copied_from(stage + l * Prior + entry);
    twiddled_dft<Dir>(y, power);
  }
}

}  // namespace wingbeat::device::thread
