// SPDX-License-Identifier: Apache-2.0
// DFTs of numbers that stand each in a vector of its own, (re im): half as many operations as
// butterflies whose re and im are apart, where no other row or number could share their vectors.
#pragma once

#include "backend/host/lanes/simd.hpp"            // simd
#include "wingbeat/device/thread/dft/primes.hpp"  // prime_roots

namespace wingbeat::backend::host::WINGBEAT_HOST_ISA {

/// Returns -i z, of the inverse i z, times a factor.
template <bool Inverse, class V>
WINGBEAT_LANES V turned(V z, typename V::Real factor) {
  using Real = typename V::Real;
  const Real s = Inverse ? -factor : factor;
  const typename V::vector sign = {s, -s};
  return V{__builtin_shufflevector(z.v, z.v, 1, 0) * sign};
}

/// Replaces N numbers by their DFT.
template <bool Inverse, int N, class V>
WINGBEAT_LANES void numbers(V (&x)[N]);

template <bool Inverse, class V>
WINGBEAT_LANES void numbers(V (&x)[2]) {
  const V difference = x[0] - x[1];
  x[0] = x[0] + x[1];
  x[1] = difference;
}
template <bool Inverse, class V>
WINGBEAT_LANES void numbers(V (&x)[4]) {
  const V even = x[0] + x[2], other = x[0] - x[2];
  const V odd = x[1] + x[3], quarter = turned<Inverse>(x[1] - x[3], 1);
  x[0] = even + odd;
  x[2] = even - odd;
  x[1] = other + quarter;
  x[3] = other - quarter;
}

/// N is an odd prime; see device/thread/dft/primes.hpp.
template <bool Inverse, int N, class V>
WINGBEAT_LANES void prime_numbers(V (&x)[N]) {
  using Real = typename V::Real;
  constexpr int m = (N - 1) / 2;
  constexpr device::thread::prime_roots<N, Real> roots{};
  V sum[m], difference[m];
  const V first = x[0];
  WINGBEAT_UNROLL
  for (int j = 0; j < m; ++j) {
    sum[j] = x[j + 1] + x[N - 1 - j];
    difference[j] = x[j + 1] - x[N - 1 - j];
    x[0] = x[0] + sum[j];
  }
  const V base{first.v - sum[m - 1].v * Real(0.5)};
  WINGBEAT_UNROLL
  for (int j = 0; j + 1 < m; ++j) sum[j] = sum[j] - sum[m - 1];
  WINGBEAT_UNROLL
  for (int k = 1; k <= m; ++k) {
    V even = base, odd{};
    WINGBEAT_UNROLL
    for (int j = 1; j <= m; ++j) {
      const int e = j * k % N, folded = (e > m ? N - e : e) - 1;
      const Real share = e > m ? -roots.share[folded] : roots.share[folded];
      odd = V{j == 1 ? difference[0].v * share : odd.v + difference[j - 1].v * share};
      if (j < m) even = V{even.v + sum[j - 1].v * roots.cosine[folded]};
    }
    const V quarter = turned<Inverse>(odd, roots.sine);
    x[k] = even + quarter;
    x[N - k] = even - quarter;
  }
}

/// N = A B without a common factor:  j = (B a + A b) mod N,  w_N^(jk) = w_A^(ak) w_B^(bk), so that
/// no roots stand between columns of A and rows of B.
template <bool Inverse, int A, int N, class V>
WINGBEAT_LANES void coprime_numbers(V (&x)[N]) {
  constexpr int B = N / A;
  V columns[B][A];
  WINGBEAT_UNROLL
  for (int b = 0; b < B; ++b) {
    WINGBEAT_UNROLL
    for (int a = 0; a < A; ++a) columns[b][a] = x[(B * a + A * b) % N];
    numbers<Inverse>(columns[b]);
  }
  WINGBEAT_UNROLL
  for (int k = 0; k < A; ++k) {
    V row[B];
    WINGBEAT_UNROLL
    for (int b = 0; b < B; ++b) row[b] = columns[b][k];
    numbers<Inverse>(row);
    WINGBEAT_UNROLL
    for (int i = 0; i < B; ++i) {  // the bin that is k modulo A and i modulo B
      int bin = k;
      while (bin % B != i) bin += A;
      x[bin] = row[i];
    }
  }
}

/// Returns z (re - i im), of the inverse z (re + i im).
template <bool Inverse, class V>
WINGBEAT_LANES V times_root(V z, double re, double im) {
  using Real = typename V::Real;
  return V{z.v * Real(re) + turned<Inverse>(z, Real(im)).v};
}

/// 9 = 3 x 3
template <bool Inverse, class V>
WINGBEAT_LANES void nine_numbers(V (&x)[9]) {
  constexpr double c1 = 0.76604444311897803520, s1 = 0.64278760968653932632;
  constexpr double c2 = 0.17364817766693034885, s2 = 0.98480775301220805937;
  constexpr double c4 = -0.93969262078590838405, s4 = 0.34202014332566873304;
  V columns[3][3];
  WINGBEAT_UNROLL
  for (int b = 0; b < 3; ++b) {
    WINGBEAT_UNROLL
    for (int a = 0; a < 3; ++a) columns[b][a] = x[3 * a + b];
    prime_numbers<Inverse>(columns[b]);
  }
  columns[1][1] = times_root<Inverse>(columns[1][1], c1, s1);
  columns[1][2] = times_root<Inverse>(columns[1][2], c2, s2);
  columns[2][1] = times_root<Inverse>(columns[2][1], c2, s2);
  columns[2][2] = times_root<Inverse>(columns[2][2], c4, s4);
  WINGBEAT_UNROLL
  for (int k = 0; k < 3; ++k) {
    V row[3] = {columns[0][k], columns[1][k], columns[2][k]};
    prime_numbers<Inverse>(row);
    WINGBEAT_UNROLL
    for (int i = 0; i < 3; ++i) x[k + 3 * i] = row[i];
  }
}

/// N has at most one factor 2 or 4, one 3 or 9, one 5, and one prime beside them, but one at least.
template <bool Inverse, int N, class V>
WINGBEAT_LANES void numbers(V (&x)[N]) {
  if constexpr (N == 9) {
    nine_numbers<Inverse>(x);
  } else if constexpr (N % 2 == 0) {
    coprime_numbers<Inverse, (N % 4 == 0 ? 4 : 2)>(x);
  } else if constexpr (N % 9 == 0) {
    coprime_numbers<Inverse, 9>(x);
  } else if constexpr (N % 3 == 0 && N > 3) {
    coprime_numbers<Inverse, 3>(x);
  } else if constexpr (N % 5 == 0 && N > 5) {
    coprime_numbers<Inverse, 5>(x);
  } else {
    prime_numbers<Inverse>(x);
  }
}

}  // namespace wingbeat::backend::host::WINGBEAT_HOST_ISA
