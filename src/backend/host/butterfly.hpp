// SPDX-License-Identifier: Apache-2.0
// Butterflies whose radix is no power of two, in registers. Odd primes P by their symmetry: with
// s_j = x[j] + x[P-j], d_j = x[j] - x[P-j], c_m = cos(2 pi m/P), s_m = sin(2 pi m/P),
//     X[k], X[P-k] = x[0] + sum_j s_j c_jk  -/+  i sum_j d_j s_jk,     j = 1 .. (P-1)/2.
// Products of coprime radices need no roots between them (Good, Thomas): sample and bin numbers are
// taken modulo both. 9 is 3 x 3 with the roots of order 9 between.
#pragma once

#include "backend/host/simd.hpp"           // lanes, WINGBEAT_LANES
#include "wingbeat/device/direction.hpp"   // direction
#include "wingbeat/device/thread/dft.hpp"  // dft

namespace wingbeat::backend::host::WINGBEAT_HOST_ISA {

/// c_m and s_m for m = 0 .. (P-1)/2.
template <int Prime>
struct odd_roots;
template <>
struct odd_roots<3> {
  static constexpr double cosine[] = {1, -0.50000000000000000000};
  static constexpr double sine[] = {0, 0.86602540378443864676};
};
template <>
struct odd_roots<5> {
  static constexpr double cosine[] = {1, 0.30901699437494742410, -0.80901699437494742410};
  static constexpr double sine[] = {0, 0.95105651629515357212, 0.58778525229247312917};
};
template <>
struct odd_roots<7> {
  static constexpr double cosine[] = {1, 0.62348980185873353053, -0.22252093395631440429,
                                      -0.90096886790241912624};
  static constexpr double sine[] = {0, 0.78183148246802980871, 0.97492791218182360702,
                                    0.43388373911755812048};
};
template <>
struct odd_roots<11> {
  static constexpr double cosine[] = {1,
                                      0.84125353283118116886,
                                      0.41541501300188642553,
                                      -0.14231483827328514044,
                                      -0.65486073394528506406,
                                      -0.95949297361449738989};
  static constexpr double sine[] = {0,
                                    0.54064081745559758211,
                                    0.90963199535451837141,
                                    0.98982144188093273238,
                                    0.75574957435425828377,
                                    0.28173255684142969771};
};
template <>
struct odd_roots<13> {
  static constexpr double cosine[] = {1,
                                      0.88545602565320989590,
                                      0.56806474673115580251,
                                      0.12053668025532305335,
                                      -0.35460488704253562597,
                                      -0.74851074817110109863,
                                      -0.97094181742605202716};
  static constexpr double sine[] = {0,
                                    0.46472317204376854566,
                                    0.82298386589365639458,
                                    0.99270887409805399280,
                                    0.93501624268541482344,
                                    0.66312265824079520238,
                                    0.23931566428755776715};
};

/// Returns whether a radix is handed to device/thread/dft.hpp.
constexpr bool is_power_of_two(int radix) {
  return (radix & (radix - 1)) == 0;
}

/// Returns the smaller of two coprime factors of a composite radix, 1 of a prime one.
constexpr int coprime_factor(int radix) {
  return radix == 6 || radix == 10 ? 2 : radix == 12 ? 3 : 1;
}

template <int Radix, class V>
WINGBEAT_LANES void butterfly(lanes<V> (&x)[Radix]);

template <int Prime, class V>
WINGBEAT_LANES void prime_butterfly(lanes<V> (&x)[Prime]) {
  constexpr int half = (Prime - 1) / 2;
  using table = odd_roots<Prime>;
  lanes<V> sum[half + 1], difference[half + 1];
  const lanes<V> x0 = x[0];
  WINGBEAT_UNROLL
  for (int j = 1; j <= half; ++j) {
    sum[j] = x[j] + x[Prime - j];
    difference[j] = x[j] - x[Prime - j];
    x[0] = x[0] + sum[j];
  }
  WINGBEAT_UNROLL
  for (int k = 1; k <= half; ++k) {
    lanes<V> even = x0;
    lanes<V> odd{V{0.0}, V{0.0}};
    WINGBEAT_UNROLL
    for (int j = 1; j <= half; ++j) {
      const int m = j * k % Prime;
      const V c{table::cosine[m <= half ? m : Prime - m]};
      const V s{m <= half ? table::sine[m] : -table::sine[Prime - m]};
      even = {even.re + sum[j].re * c, even.im + sum[j].im * c};
      odd = j == 1 ? lanes<V>{difference[j].re * s, difference[j].im * s}
                   : lanes<V>{odd.re + difference[j].re * s, odd.im + difference[j].im * s};
    }
    x[k] = {even.re + odd.im, even.im - odd.re};
    x[Prime - k] = {even.re - odd.im, even.im + odd.re};
  }
}

/// A B points, A and B coprime: sample B a + A b, bin k with k mod A and k mod B.
template <int A, int Radix, class V>
WINGBEAT_LANES void coprime_butterfly(lanes<V> (&x)[Radix]) {
  constexpr int B = Radix / A;
  lanes<V> y[B][A];
  WINGBEAT_UNROLL
  for (int b = 0; b < B; ++b) {
    WINGBEAT_UNROLL
    for (int a = 0; a < A; ++a) y[b][a] = x[(B * a + A * b) % Radix];
    butterfly(y[b]);
  }
  lanes<V> z[A][B];
  WINGBEAT_UNROLL
  for (int a = 0; a < A; ++a) {
    WINGBEAT_UNROLL
    for (int b = 0; b < B; ++b) z[a][b] = y[b][a];
    butterfly(z[a]);
  }
  WINGBEAT_UNROLL
  for (int k = 0; k < Radix; ++k) x[k] = z[k % A][k % B];
}

template <class V>
WINGBEAT_LANES void butterfly_of_nine(lanes<V> (&x)[9]) {
  // w^1, w^2, w^4 of order 9
  constexpr double re[] = {0.76604444311897803520, 0.17364817766693034885, -0.93969262078590838405};
  constexpr double im[] = {-0.64278760968653932632, -0.98480775301220805937,
                           -0.34202014332566873304};
  lanes<V> y[3][3];
  WINGBEAT_UNROLL
  for (int a = 0; a < 3; ++a) {
    WINGBEAT_UNROLL
    for (int b = 0; b < 3; ++b) y[a][b] = x[a + 3 * b];
    butterfly(y[a]);
  }
  const auto root = [&](int i) { return lanes<V>{V{re[i]}, V{im[i]}}; };
  y[1][1] = y[1][1] * root(0);
  y[1][2] = y[1][2] * root(1);
  y[2][1] = y[2][1] * root(1);
  y[2][2] = y[2][2] * root(2);
  WINGBEAT_UNROLL
  for (int k = 0; k < 3; ++k) {
    lanes<V> z[3] = {y[0][k], y[1][k], y[2][k]};
    butterfly(z);
    x[k] = z[0];
    x[k + 3] = z[1];
    x[k + 6] = z[2];
  }
}

/// Replaces x by its forward DFT.
template <int Radix, class V>
WINGBEAT_LANES void butterfly(lanes<V> (&x)[Radix]) {
  if constexpr (is_power_of_two(Radix)) {
    device::thread::dft<device::direction::forward>(x);
  } else if constexpr (coprime_factor(Radix) != 1) {
    coprime_butterfly<coprime_factor(Radix)>(x);
  } else if constexpr (Radix == 9) {
    butterfly_of_nine(x);
  } else {
    prime_butterfly<Radix>(x);
  }
}

}  // namespace wingbeat::backend::host::WINGBEAT_HOST_ISA
