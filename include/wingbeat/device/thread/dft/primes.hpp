// SPDX-License-Identifier: Apache-2.0
// DFTs of 3 to 31 points, their number a prime; thread/dft.hpp defines their arguments.
//
// Inputs j and P - j meet roots that are conjugates. With m = (P - 1)/2, j and k from 1 to m,
//     s[j] = x[j] + x[P-j],    d[j] = x[j] - x[P-j],
//     even[k] = x[0] + sum_j cos(2 pi jk/P) s[j],    odd[k] = sum_j sin(2 pi jk/P) d[j],
//     X[0] = x[0] + sum_j s[j],    X[k] = even[k] -+ i odd[k],    X[P-k] = even[k] +- i odd[k].
// Each row of cosines sums to -1/2, so that with differences of the s[j],
//     even[k] = (x[0] - s[m]/2) + sum_(j<m) cos(2 pi jk/P) (s[j] - s[m]),
// for the same number of operations: equal inputs then leave exact zeros. The largest sine S is
// factored out of odd[k], one product less in each row, and enters with the last sum.
// That takes 4 m m + 8 m operations where a sum with a product is one: 12, 32, 60, 140; of 17 to 31
// points 320, 396, 572, 896, 1020. These are
// the counts of FFTW 3's codelets for such machines (M. Frigo, "A fast Fourier transform compiler",
// 1999). Winograd's DFTs have fewer products, but more products and sums: 88 for 7.
// For 13, Rader's order of the indices makes the cosines a cyclic convolution of 6, which splits in
// two of 3 (C. M. Rader, "Discrete Fourier transforms when the number of data samples is prime",
// 1968): 168 operations in place of 192.
#pragma once

#include "wingbeat/device/complex.hpp"             // complex
#include "wingbeat/device/direction.hpp"           // direction
#include "wingbeat/device/index.hpp"               // minimum
#include "wingbeat/device/port.hpp"                // WINGBEAT_FN, multiply_add
#include "wingbeat/device/thread/dft/numbers.hpp"  // real_of, fused, fused_quarter

namespace wingbeat::device::thread {

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

template <class Real>
struct prime_roots<17, Real> {
  static constexpr unsigned largest = 4;
  Real sine = Real(0.99573417629503452187);
  Real cosine[8] = {Real(0.93247222940435580457),  Real(0.73900891722065911592),
                    Real(0.44573835577653826740),  Real(0.09226835946330199524),
                    Real(-0.27366299007208286354), Real(-0.60263463637925638918),
                    Real(-0.85021713572961415213), Real(-0.98297309968390177828)};
  Real share[8] = {Real(0.36278926121756173660), Real(0.67658182242299798016),
                   Real(0.89899825944090805258), Real(1),
                   Real(0.96594619936780355656), Real(0.80143601201832025169),
                   Real(0.52868745033551479819), Real(0.18453671892660399048)};
};
template <class Real>
struct prime_roots<19, Real> {
  static constexpr unsigned largest = 5;
  Real sine = Real(0.99658449300666984982);
  Real cosine[9] = {
      Real(0.94581724170063467902),  Real(0.78914050939639359922),  Real(0.54694815812242687471),
      Real(0.24548548714079914892),  Real(-0.08257934547233232460), Real(-0.40169542465296945752),
      Real(-0.67728157162574107476), Real(-0.87947375120648907139), Real(-0.98636130340272237360)};
  Real share[9] = {Real(0.32581228333693364864),
                   Real(0.61631775027584848303),
                   Real(0.84003562581715353195),
                   Real(0.97272260680544474721),
                   Real(1),
                   Real(0.91891187659582461083),
                   Real(0.73824539297563366649),
                   Real(0.47757856596900526639),
                   Real(0.16515869094466464920)};
};
template <class Real>
struct prime_roots<23, Real> {
  static constexpr unsigned largest = 6;
  Real sine = Real(0.99766876919053919845);
  Real cosine[11] = {
      Real(0.96291728734779929502),  Real(0.85441940454648855255),  Real(0.68255314321865408287),
      Real(0.46006503773115212604),  Real(0.20345601305263378988),  Real(-0.06824241336467097592),
      Real(-0.33487961217098615196), Real(-0.57668032211486714125), Real(-0.77571129070441980704),
      Real(-0.91721130150545301784), Real(-0.99068594603633075234)};
  Real share[11] = {
      Real(0.27042719937592562791), Real(0.52079805049625757608), Real(0.73254369270383145933),
      Real(0.88995992038796895034), Real(0.98137189207266150468), Real(1),
      Real(0.94446268262293708535), Real(0.81887888870500815475), Real(0.63256259373347670642),
      Real(0.39933202496604667600), Real(0.13648482672934195184)};
};
template <class Real>
struct prime_roots<29, Real> {
  static constexpr unsigned largest = 7;
  Real sine = Real(0.99853341385112386457);
  Real cosine[14] = {
      Real(0.97662055571008668321),  Real(0.90757541967095705362),  Real(0.79609306570564374600),
      Real(0.64738628478182763918),  Real(0.46840844069979013922),  Real(0.26752833852922082119),
      Real(0.05413890858541752615),  Real(-0.16178199655276472654), Real(-0.37013815533991435686),
      Real(-0.56118706536238236927), Real(-0.72599549192313085814), Real(-0.85685717616758924452),
      Real(-0.94765317118280244427), Real(-0.99413795715435960896)};
  Real share[14] = {Real(0.21528617593469440079),
                    Real(0.42050580955608147213),
                    Real(0.60606305888126593223),
                    Real(0.76328147316387237015),
                    Real(0.88480969408776336720),
                    Real(0.96496519711145414851),
                    Real(1),
                    Real(0.98827591430871921791),
                    Real(0.93034114525415074004),
                    Real(0.82890465824741512185),
                    Real(0.68870951068238934613),
                    Real(0.51631107184349880631),
                    Real(0.31977050112374724160),
                    Real(0.10827781717083505230)};
};
template <class Real>
struct prime_roots<31, Real> {
  static constexpr unsigned largest = 8;
  Real sine = Real(0.99871650717105280715);
  Real cosine[15] = {
      Real(0.97952994125249449394),  Real(0.91895781162023062913),  Real(0.82076344120727632636),
      Real(0.68896691907568656780),  Real(0.52896401032696245737),  Real(0.34730525284482028554),
      Real(0.15142777750457666366),  Real(-0.05064916883871271228), Real(-0.25065253225872053931),
      Real(-0.44039415155763430952), Real(-0.61210598254766284415), Real(-0.75875812269279090191),
      Real(-0.87434661614458211883), Real(-0.95413925640004885148), Real(-0.99486932339189514632)};
  Real share[15] = {Real(0.20155721733172790276), Real(0.39486265850392739521),
                    Real(0.57200237604258369091), Real(0.72572424909863113822),
                    Real(0.84973488612760198712), Real(0.93895727707889900772),
                    Real(0.98973864678379029264), Real(1),
                    Real(0.96932123572119869523), Real(0.89895834616156225054),
                    Real(0.79179199628695066561), Real(0.65220958905274199738),
                    Real(0.48592564461134122382), Real(0.29974784718571317587),
                    Real(0.10129833767742542456)};
};

/// Inputs 1 to P - 1 of a DFT of prime length, `Live` of all P being known: sums s[j] and
/// differences d[j] of the pairs that have a live one.
template <unsigned P, unsigned Live, class Number>
struct prime_pairs {
  using Real = real_of<Number>;
  static constexpr unsigned m = P / 2;
  static constexpr unsigned count = minimum(m, Live - 1);
  Number sum[m + 1];
  Number difference[m + 1];

  WINGBEAT_FN constexpr void take(const Number (&x)[P]) {
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

  /// Returns output 0.
  WINGBEAT_FN constexpr Number total(Number first) const {
    WINGBEAT_UNROLL
    for (unsigned j = 1; j <= count; ++j) first = first + sum[j];
    return first;
  }

  /// Returns what each even[k] begins with, and makes sums differences of them.
  WINGBEAT_FN constexpr Number base(Number first) {
    if constexpr (count == m) {
      first = fused(first, Real(-0.5), sum[m]);
      WINGBEAT_UNROLL
      for (unsigned j = 1; j < m; ++j) sum[j] = sum[j] - sum[m];
    }
    return first;
  }

  /// Returns even[k].
  WINGBEAT_FN constexpr Number even(Number base, unsigned k) const {
    const prime_roots<P, Real> roots{};
    constexpr unsigned others = minimum(count, m - 1);
    WINGBEAT_UNROLL
    for (unsigned j = 1; j <= others; ++j) {
      base = fused(base, roots.cosine[folded(j * k) - 1], sum[j]);
    }
    return base;
  }

  /// Returns odd[k] / S: the difference that meets the largest sine, and shares of the others.
  WINGBEAT_FN constexpr Number odd(unsigned k) const {
    const prime_roots<P, Real> roots{};
    unsigned first = 1;  // j of the term that the others are added to
    WINGBEAT_UNROLL
    for (unsigned j = 1; j <= count; ++j) {
      if (folded(j * k) == roots.largest) first = j;
    }
    Number result = difference[first];
    if (folded(first * k) != roots.largest) {
      result = scaled(result, share(roots, first * k));
    } else if (first * k % P > m) {
      result = negated(result);
    }
    WINGBEAT_UNROLL
    for (unsigned j = 1; j <= count; ++j) {
      if (j != first) result = fused(result, share(roots, j * k), difference[j]);
    }
    return result;
  }

  /// Returns e or P - e mod P, the one from 1 to m.
  WINGBEAT_FN static constexpr unsigned folded(unsigned e) { return e % P > m ? P - e % P : e % P; }

 private:
  WINGBEAT_FN static constexpr Real share(const prime_roots<P, Real>& roots, unsigned e) {
    return e % P > m ? -roots.share[folded(e) - 1] : roots.share[folded(e) - 1];
  }
};

/// Replaces x by its DFT of prime length P.
template <direction Dir, unsigned Live, class Number, unsigned P>
WINGBEAT_FN constexpr void dft_of_prime(Number (&x)[P]) {
  constexpr unsigned m = P / 2;
  const prime_roots<P, real_of<Number>> roots{};
  prime_pairs<P, Live, Number> pairs{};
  pairs.take(x);
  const Number total = pairs.total(x[0]), base = pairs.base(x[0]);
  x[0] = total;
  WINGBEAT_UNROLL
  for (unsigned k = 1; k <= m; ++k) {
    const Number even = pairs.even(base, k), odd = pairs.odd(k);
    x[k] = fused_quarter<Dir>(even, roots.sine, odd);
    x[P - k] = fused_quarter<opposite(Dir)>(even, roots.sine, odd);
  }
}

/// Replaces x[0] to x[P/2] by the bins of P reals, their real parts: half of the operations. The
/// other bins are conjugates of these, and are not made.
template <direction Dir, class Real, unsigned P>
WINGBEAT_FN constexpr void dft_of_reals(complex<Real> (&x)[P]) {
  const Real sine = prime_roots<P, Real>{}.sine * Real(Dir == direction::forward ? -1 : 1);
  Real inputs[P] = {};
  WINGBEAT_UNROLL
  for (unsigned j = 0; j < P; ++j) inputs[j] = x[j].re;
  prime_pairs<P, P, Real> pairs{};
  pairs.take(inputs);
  x[0] = {pairs.total(inputs[0]), Real(0)};
  const Real base = pairs.base(inputs[0]);
  WINGBEAT_UNROLL
  for (unsigned k = 1; k <= P / 2; ++k) x[k] = {pairs.even(base, k), sine * pairs.odd(k)};
}

/// The way back: replaces x by the P reals whose bins are x[0] to x[P/2] and their conjugates.
template <direction Dir, class Real, unsigned P>
WINGBEAT_FN constexpr void dft_to_reals(complex<Real> (&x)[P]) {
  const Real sine = prime_roots<P, Real>{}.sine * Real(Dir == direction::forward ? 1 : -1);
  prime_pairs<P, P, Real> pairs{};
  WINGBEAT_UNROLL
  for (unsigned k = 1; k <= P / 2; ++k) {
    pairs.sum[k] = x[k].re + x[k].re;
    pairs.difference[k] = x[k].im + x[k].im;
  }
  const Real first = x[0].re;
  x[0] = {pairs.total(first), Real(0)};
  const Real base = pairs.base(first);
  WINGBEAT_UNROLL
  for (unsigned j = 1; j <= P / 2; ++j) {
    const Real even = pairs.even(base, j), odd = pairs.odd(j);
    x[j] = {multiply_add(sine, odd, even), Real(0)};
    x[P - j] = {multiply_add(-sine, odd, even), Real(0)};
  }
}

/// Replaces x by its length-13 DFT, all of x live.  Cost: 168 operations.
/// With g[i] = 2^i mod 13 up to its sign, 1 2 4 5 3 6, and c[i] = cos(2 pi g[i] / 13), c[i+6] =
/// c[i], the cosines' part of even[g[a]] is  sum_i c[a+i] s[g[i]].  So with i and a below 3 and
///     p[i] = s[g[i]] + s[g[i+3]],    q[i] = s[g[i]] - s[g[i+3]],
///     P[a] = x[0] + sum_i (c[a+i] + c[a+i+3])/2 p[i],    Q[a] = sum_i (c[a+i] - c[a+i+3])/2 q[i],
///     even[g[a]] = P[a] + Q[a],    even[g[a+3]] = P[a] - Q[a].
/// The factors of p sum to -1/4 and those of q change sign with every three: as above, P is made of
/// differences and the largest factor of Q taken out.
template <direction Dir, class Number>
WINGBEAT_FN constexpr void dft_of_13(Number (&x)[13]) {
  using Real = real_of<Number>;
  const unsigned g[6] = {1, 2, 4, 5, 3, 6};
  const Real by_p[3] = {Real(0.06847263874105439863), Real(0.34430071349323942793),
                        Real(-0.66277335223429382656)};
  const Real by_q = Real(0.81698338691215549727);
  const Real share_q[3] = {Real(1), Real(0.27389055496421759453), Real(0.37720285397295771172)};
  const Real sine = prime_roots<13, Real>{}.sine;
  prime_pairs<13, 13, Number> pairs{};
  pairs.take(x);
  Number p[3], q[3];
  WINGBEAT_UNROLL
  for (unsigned i = 0; i < 3; ++i) {
    p[i] = pairs.sum[g[i]] + pairs.sum[g[i + 3]];
    q[i] = pairs.sum[g[i]] - pairs.sum[g[i + 3]];
  }
  const Number base = fused(x[0], Real(-0.25), p[2]);
  x[0] = x[0] + p[0] + p[1] + p[2];
  p[0] = p[0] - p[2];
  p[1] = p[1] - p[2];
  WINGBEAT_UNROLL
  for (unsigned a = 0; a < 3; ++a) {
    Number even = fused(fused(base, by_p[a], p[0]), by_p[(a + 1) % 3], p[1]);
    Number apart = q[(3 - a) % 3];  // where the factor's index a + i is 0 or 3
    if (a > 0) apart = negated(apart);
    WINGBEAT_UNROLL
    for (unsigned i = 0; i < 3; ++i) {
      const Real factor = share_q[(a + i) % 3];
      if ((a + i) % 3 != 0) apart = fused(apart, a + i < 3 ? factor : -factor, q[i]);
    }
    const Number both[2] = {fused(even, by_q, apart), fused(even, -by_q, apart)};
    WINGBEAT_UNROLL
    for (unsigned i = 0; i < 2; ++i) {
      const unsigned k = g[a + 3 * i];
      const Number odd = pairs.odd(k);
      x[k] = fused_quarter<Dir>(both[i], sine, odd);
      x[13 - k] = fused_quarter<opposite(Dir)>(both[i], sine, odd);
    }
  }
}

}  // namespace wingbeat::device::thread
