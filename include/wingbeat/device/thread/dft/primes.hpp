// SPDX-License-Identifier: Apache-2.0
// DFTs of 3, 5, 7, 11 and 13 points; thread/dft.hpp defines their arguments.
//
// Inputs j and P - j meet roots that are conjugates. With m = (P - 1)/2, j and k from 1 to m,
//     s[j] = x[j] + x[P-j],    d[j] = x[j] - x[P-j],
//     even[k] = x[0] + sum_j cos(2 pi jk/P) s[j],    odd[k] = sum_j sin(2 pi jk/P) d[j],
//     X[0] = x[0] + sum_j s[j],    X[k] = even[k] -+ i odd[k],    X[P-k] = even[k] +- i odd[k].
// Each row of cosines sums to -1/2, so that with differences of the s[j],
//     even[k] = (x[0] - s[m]/2) + sum_(j<m) cos(2 pi jk/P) (s[j] - s[m]),
// for the same number of operations: equal inputs then leave exact zeros. The largest sine S is
// factored out of odd[k], one product less in each row, and enters with the last sum.
// That takes 4 m m + 8 m operations where a sum with a product is one: 12, 32, 60, 140. These are
// the counts of FFTW 3's codelets for such machines (M. Frigo, "A fast Fourier transform compiler",
// 1999). Winograd's DFTs have fewer products, but more products and sums: 88 for 7.
// For 13, Rader's order of the indices makes the cosines a cyclic convolution of 6, which splits in
// two of 3 (C. M. Rader, "Discrete Fourier transforms when the number of data samples is prime",
// 1968): 168 operations in place of 192.
#pragma once

#include "wingbeat/device/complex.hpp"                   // complex
#include "wingbeat/device/direction.hpp"                 // direction
#include "wingbeat/device/index.hpp"                     // minimum
#include "wingbeat/device/port.hpp"                      // WINGBEAT_FN, multiply_add
#include "wingbeat/device/thread/dft/powers_of_two.hpp"  // dft_of_first

namespace wingbeat::device::thread {

/// Returns z + by y, for a real `by`.
template <class Real>
WINGBEAT_FN constexpr complex<Real> fused(complex<Real> z, Real factor, complex<Real> y) {
  return {multiply_add(factor, y.re, z.re), multiply_add(factor, y.im, z.im)};
}

/// Returns z - i by y forward, z + i by y for the inverse.
template <direction Dir, class Real>
WINGBEAT_FN constexpr complex<Real> fused_quarter(complex<Real> z, Real factor, complex<Real> y) {
  if constexpr (Dir == direction::forward) {
    return {multiply_add(factor, y.im, z.re), multiply_add(-factor, y.re, z.im)};
  } else {
    return {multiply_add(-factor, y.im, z.re), multiply_add(factor, y.re, z.im)};
  }
}

/// cos(2 pi e / P), and sin(2 pi e / P) as a share of the largest of them, `sine`, which is that of
/// e = `largest`; e from 1 to (P - 1)/2.
template <unsigned P, class Real>
struct prime_roots;
template <class Real>
struct prime_roots<3, Real> {
  static constexpr unsigned largest = 1;
  Real sine = Real(0.86602540378443864676);
  Real cosine[1] = {Real(-0.5)};
  Real share[1] = {Real(1)};
};
template <class Real>
struct prime_roots<5, Real> {
  static constexpr unsigned largest = 1;
  Real sine = Real(0.95105651629515357212);
  Real cosine[2] = {Real(0.30901699437494742410), Real(-0.80901699437494742410)};
  Real share[2] = {Real(1), Real(0.61803398874989484820)};
};
template <class Real>
struct prime_roots<7, Real> {
  static constexpr unsigned largest = 2;
  Real sine = Real(0.97492791218182360702);
  Real cosine[3] = {Real(0.62348980185873353053), Real(-0.22252093395631440429),
                    Real(-0.90096886790241912624)};
  Real share[3] = {Real(0.80193773580483825247), Real(1), Real(0.44504186791262880858)};
};
template <class Real>
struct prime_roots<11, Real> {
  static constexpr unsigned largest = 3;
  Real sine = Real(0.98982144188093273238);
  Real cosine[5] = {Real(0.84125353283118116886), Real(0.41541501300188642553),
                    Real(-0.14231483827328514044), Real(-0.65486073394528506406),
                    Real(-0.95949297361449738989)};
  Real share[5] = {Real(0.54620034945720257017), Real(0.91898594722899477978), Real(1),
                   Real(0.76352111843336755794), Real(0.28462967654657028089)};
};
template <class Real>
struct prime_roots<13, Real> {
  static constexpr unsigned largest = 3;
  Real sine = Real(0.99270887409805399280);
  Real cosine[6] = {Real(0.88545602565320989590),  Real(0.56806474673115580251),
                    Real(0.12053668025532305335),  Real(-0.35460488704253562597),
                    Real(-0.74851074817110109863), Real(-0.97094181742605202716)};
  Real share[6] = {
      Real(0.46813641357442514524), Real(0.82902841645431573749), Real(1),
      Real(0.94188363485210405431), Real(0.66799307988788645978), Real(0.24107336051064610670)};
};

/// Inputs 1 to P - 1 of a DFT of prime length, `Live` of all P being known: sums s[j] and
/// differences d[j] of the pairs that have a live one.
template <unsigned P, unsigned Live, class Real>
struct prime_pairs {
  static constexpr unsigned m = P / 2;
  static constexpr unsigned count = minimum(m, Live - 1);
  complex<Real> sum[m + 1];
  complex<Real> difference[m + 1];

  WINGBEAT_FN constexpr void take(const complex<Real> (&x)[P]) {
    WINGBEAT_UNROLL
    for (unsigned j = 1; j <= count; ++j) {
      if (P - j < Live) {
        sum[j] = x[j] + x[P - j];
        difference[j] = x[j] - x[P - j];
      } else {
        sum[j] = x[j];
        difference[j] = x[j];
      }
    }
  }

  /// Returns odd[k] / S: the difference that meets the largest sine, and shares of the others.
  WINGBEAT_FN constexpr complex<Real> odd(unsigned k) const {
    const prime_roots<P, Real> roots{};
    unsigned first = 1;  // j of the term that the others are added to
    WINGBEAT_UNROLL
    for (unsigned j = 1; j <= count; ++j) {
      if (folded(j * k) == roots.largest) first = j;
    }
    complex<Real> all = difference[first];
    if (folded(first * k) != roots.largest) {
      all = scaled(all, share(roots, first * k));
    } else if (first * k % P > m) {
      all = {-all.re, -all.im};
    }
    WINGBEAT_UNROLL
    for (unsigned j = 1; j <= count; ++j) {
      if (j != first) all = fused(all, share(roots, j * k), difference[j]);
    }
    return all;
  }

  /// Returns e or P - e mod P, the one from 1 to m.
  WINGBEAT_FN static constexpr unsigned folded(unsigned e) { return e % P > m ? P - e % P : e % P; }

 private:
  WINGBEAT_FN static constexpr Real share(const prime_roots<P, Real>& roots, unsigned e) {
    return e % P > m ? -roots.share[folded(e) - 1] : roots.share[folded(e) - 1];
  }
};

/// Replaces x by its DFT of prime length P.
template <direction Dir, unsigned Live, class Real, unsigned P>
WINGBEAT_FN constexpr void dft_of_prime(complex<Real> (&x)[P]) {
  if constexpr (Live == 1) return dft_of_first(x);
  constexpr unsigned m = P / 2;
  const prime_roots<P, Real> roots{};
  prime_pairs<P, Live, Real> pairs{};
  pairs.take(x);
  constexpr unsigned count = pairs.count, others = minimum(count, m - 1);
  complex<Real> all = x[0], base = x[0];
  WINGBEAT_UNROLL
  for (unsigned j = 1; j <= count; ++j) all = all + pairs.sum[j];
  if constexpr (count == m) {
    base = fused(base, Real(-0.5), pairs.sum[m]);
    WINGBEAT_UNROLL
    for (unsigned j = 1; j < m; ++j) pairs.sum[j] = pairs.sum[j] - pairs.sum[m];
  }
  x[0] = all;
  WINGBEAT_UNROLL
  for (unsigned k = 1; k <= m; ++k) {
    complex<Real> even = base;
    WINGBEAT_UNROLL
    for (unsigned j = 1; j <= others; ++j) {
      even = fused(even, roots.cosine[pairs.folded(j * k) - 1], pairs.sum[j]);
    }
    const complex<Real> odd = pairs.odd(k);
    x[k] = fused_quarter<Dir>(even, roots.sine, odd);
    x[P - k] = fused_quarter<opposite(Dir)>(even, roots.sine, odd);
  }
}

/// Replaces x by its length-3 DFT.  Cost: 12 operations.
template <direction Dir, unsigned Live = 3, class Real>
WINGBEAT_FN constexpr void dft(complex<Real> (&x)[3]) {
  dft_of_prime<Dir, Live>(x);
}

/// Replaces x by its length-5 DFT.  Cost: 32 operations.
template <direction Dir, unsigned Live = 5, class Real>
WINGBEAT_FN constexpr void dft(complex<Real> (&x)[5]) {
  dft_of_prime<Dir, Live>(x);
}

/// Replaces x by its length-7 DFT.  Cost: 60 operations.
template <direction Dir, unsigned Live = 7, class Real>
WINGBEAT_FN constexpr void dft(complex<Real> (&x)[7]) {
  dft_of_prime<Dir, Live>(x);
}

/// Replaces x by its length-11 DFT.  Cost: 140 operations.
template <direction Dir, unsigned Live = 11, class Real>
WINGBEAT_FN constexpr void dft(complex<Real> (&x)[11]) {
  dft_of_prime<Dir, Live>(x);
}

/// Replaces x by its length-13 DFT.  Cost: 168 operations.
/// With g[i] = 2^i mod 13 up to its sign, 1 2 4 5 3 6, and c[i] = cos(2 pi g[i] / 13), c[i+6] =
/// c[i], the cosines' part of even[g[a]] is  sum_i c[a+i] s[g[i]].  So with i and a below 3 and
///     p[i] = s[g[i]] + s[g[i+3]],    q[i] = s[g[i]] - s[g[i+3]],
///     P[a] = x[0] + sum_i (c[a+i] + c[a+i+3])/2 p[i],    Q[a] = sum_i (c[a+i] - c[a+i+3])/2 q[i],
///     even[g[a]] = P[a] + Q[a],    even[g[a+3]] = P[a] - Q[a].
/// The factors of p sum to -1/4 and those of q change sign with every three: as above, P is made of
/// differences and the largest factor of Q taken out.
template <direction Dir, unsigned Live = 13, class Real>
WINGBEAT_FN constexpr void dft(complex<Real> (&x)[13]) {
  if constexpr (Live < 13) return dft_of_prime<Dir, Live>(x);
  const unsigned g[6] = {1, 2, 4, 5, 3, 6};
  const Real by_p[3] = {Real(0.06847263874105439863), Real(0.34430071349323942793),
                        Real(-0.66277335223429382656)};
  const Real by_q = Real(0.81698338691215549727);
  const Real share_q[3] = {Real(1), Real(0.27389055496421759453), Real(0.37720285397295771172)};
  const Real sine = prime_roots<13, Real>{}.sine;
  prime_pairs<13, 13, Real> pairs{};
  pairs.take(x);
  complex<Real> p[3], q[3];
  WINGBEAT_UNROLL
  for (unsigned i = 0; i < 3; ++i) {
    p[i] = pairs.sum[g[i]] + pairs.sum[g[i + 3]];
    q[i] = pairs.sum[g[i]] - pairs.sum[g[i + 3]];
  }
  const complex<Real> base = fused(x[0], Real(-0.25), p[2]);
  x[0] = x[0] + p[0] + p[1] + p[2];
  p[0] = p[0] - p[2];
  p[1] = p[1] - p[2];
  WINGBEAT_UNROLL
  for (unsigned a = 0; a < 3; ++a) {
    complex<Real> even = fused(fused(base, by_p[a], p[0]), by_p[(a + 1) % 3], p[1]);
    complex<Real> apart = q[(3 - a) % 3];  // where the factor's index a + i is 0 or 3
    if (a > 0) apart = {-apart.re, -apart.im};
    WINGBEAT_UNROLL
    for (unsigned i = 0; i < 3; ++i) {
      const Real factor = share_q[(a + i) % 3];
      if ((a + i) % 3 != 0) apart = fused(apart, a + i < 3 ? factor : -factor, q[i]);
    }
    const complex<Real> both[2] = {fused(even, by_q, apart), fused(even, -by_q, apart)};
    WINGBEAT_UNROLL
    for (unsigned i = 0; i < 2; ++i) {
      const unsigned k = g[a + 3 * i];
      const complex<Real> odd = pairs.odd(k);
      x[k] = fused_quarter<Dir>(both[i], sine, odd);
      x[13 - k] = fused_quarter<opposite(Dir)>(both[i], sine, odd);
    }
  }
}

}  // namespace wingbeat::device::thread
