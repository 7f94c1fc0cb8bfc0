// SPDX-License-Identifier: Apache-2.0
// DFTs of numbers that stay pairs, (re im): of one row each in a vector of its own, of several rows
// side by side, (re im re im ..). Nothing is moved to other lanes but where a factor is not real.
#pragma once

#include "backend/host/kernels.hpp"               // single_row, first_of_tile
#include "backend/host/lanes/simd.hpp"            // simd
#include "wingbeat/device/thread/dft/primes.hpp"  // prime_roots

namespace wingbeat::backend::host::WINGBEAT_HOST_ISA {

template <class V, int... I>
WINGBEAT_LANES V turned(V z, typename V::Real factor, indices<I...>) {
  const typename V::vector factors = {(I % 2 == 0 ? factor : -factor)...};
  return V{__builtin_shufflevector(z.v, z.v, (I ^ 1)...) * factors};
}

/// Returns -i z, of the inverse i z, times a factor.
template <bool Inverse, class V>
WINGBEAT_LANES V turned(V z, typename V::Real factor) {
  return turned(z, Inverse ? -factor : factor, indices_below<V::width>{});
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

template <bool Inverse, class V>
WINGBEAT_LANES void numbers(V (&x)[8]) {
  constexpr double c = 0.70710678118654752440;
  V even[4] = {x[0], x[2], x[4], x[6]}, odd[4] = {x[1], x[3], x[5], x[7]};
  numbers<Inverse>(even);
  numbers<Inverse>(odd);
  const V turns[4] = {odd[0], V{(odd[1] + turned<Inverse>(odd[1], 1)).v * typename V::Real(c)},
                      turned<Inverse>(odd[2], 1),
                      V{(turned<Inverse>(odd[3], 1) - odd[3]).v * typename V::Real(c)}};
  WINGBEAT_UNROLL
  for (int k = 0; k < 4; ++k) {
    x[k] = even[k] + turns[k];
    x[k + 4] = even[k] - turns[k];
  }
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
    V even = base;
    int unit = 1;  // j of the difference whose share is 1, in the order of lanes: the same bits
    WINGBEAT_UNROLL
    for (int j = 1; j <= m; ++j) {
      const int e = j * k % N, folded = e > m ? N - e : e;
      if (folded == int{roots.largest}) unit = j;
      if (j < m) even = V{even.v + sum[j - 1].v * roots.cosine[folded - 1]};
    }
    V odd = unit * k % N > m ? -difference[unit - 1] : difference[unit - 1];
    WINGBEAT_UNROLL
    for (int j = 1; j <= m; ++j) {
      if (j == unit) continue;
      const int e = j * k % N, folded = (e > m ? N - e : e) - 1;
      odd = V{odd.v + difference[j - 1].v * (e > m ? -roots.share[folded] : roots.share[folded])};
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

/// cos and sin of 2 pi e / A^2, e a product of two numbers below A.
template <int A>
struct square_roots;
template <>
struct square_roots<3> {
  double cosine[5] = {1, 0.76604444311897803520, 0.17364817766693034885, 0,
                      -0.93969262078590838405};
  double sine[5] = {0, 0.64278760968653932632, 0.98480775301220805937, 0, 0.34202014332566873304};
};
template <>
struct square_roots<4> {
  static constexpr double c = 0.92387953251128675613, s = 0.38268343236508977173,
                          h = 0.70710678118654752440;
  double cosine[10] = {1, c, h, s, 0, 0, -h, 0, 0, -c};
  double sine[10] = {0, s, h, c, 1, 0, h, 0, 0, -s};
};
template <>
struct square_roots<5> {
  double cosine[17] = {1,
                       0.96858316112863111949,
                       0.87630668004386358731,
                       0.72896862742141152315,
                       0.53582679497899661827,
                       0,
                       0.062790519529313376076,
                       0,
                       -0.42577929156507264886,
                       -0.63742398974868971018,
                       0,
                       0,
                       -0.99211470131447783105,
                       0,
                       0,
                       0,
                       -0.63742398974868971018};
  double sine[17] = {0,
                     0.24868988716485478824,
                     0.48175367410171527499,
                     0.68454710592868867373,
                     0.84432792550201507855,
                     0,
                     0.99802672842827156195,
                     0,
                     0.90482705246601952771,
                     0.77051324277578923080,
                     0,
                     0,
                     0.12533323356430424537,
                     0,
                     0,
                     0,
                     -0.77051324277578923080};
};

/// N = A A:  j = A j1 + j2,  k = k1 + A k2, with w^(j2 k1) between.
template <bool Inverse, int A, class V>
WINGBEAT_LANES void square_numbers(V (&x)[A * A]) {
  constexpr square_roots<A> roots{};
  V columns[A][A];
  WINGBEAT_UNROLL
  for (int b = 0; b < A; ++b) {
    WINGBEAT_UNROLL
    for (int a = 0; a < A; ++a) columns[b][a] = x[A * a + b];
    numbers<Inverse>(columns[b]);
    WINGBEAT_UNROLL
    for (int k = 1; k < A; ++k) {
      if (b == 0) continue;
      columns[b][k] = times_root<Inverse>(columns[b][k], roots.cosine[b * k], roots.sine[b * k]);
    }
  }
  WINGBEAT_UNROLL
  for (int k = 0; k < A; ++k) {
    V row[A];
    WINGBEAT_UNROLL
    for (int b = 0; b < A; ++b) row[b] = columns[b][k];
    numbers<Inverse>(row);
    WINGBEAT_UNROLL
    for (int i = 0; i < A; ++i) x[k + A * i] = row[i];
  }
}

/// N is 16 or 25, or has at most one factor 2, 4 or 8, one 3 or 9, one 5, and one prime beside
/// them, but one at least.
template <bool Inverse, int N, class V>
WINGBEAT_LANES void numbers(V (&x)[N]) {
  if constexpr (N == 9 || N == 16 || N == 25) {
    square_numbers<Inverse, (N == 9 ? 3 : N == 16 ? 4 : 5)>(x);
  } else if constexpr (N % 2 == 0) {
    coprime_numbers<Inverse, (N % 8 == 0 ? 8 : N % 4 == 0 ? 4 : 2)>(x);
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

/// One row alone.
template <int N, bool Inverse, class Real>
void row_of_numbers(const void* row, const std::byte* in_bytes, std::byte* out_bytes) {
  using V = simd<Real, 2>;
  const auto* const in = reinterpret_cast<const Real*>(in_bytes);
  auto* const out = reinterpret_cast<Real*>(out_bytes);
  const V factor{static_cast<const single_row<Real>*>(row)->scale - typename V::vector{}};
  V x[N];
  WINGBEAT_UNROLL
  for (int j = 0; j < N; ++j) x[j] = load<V>(in + 2 * j);
  numbers<Inverse>(x);
  WINGBEAT_UNROLL
  for (int j = 0; j < N; ++j) store(out + 2 * j, x[j] * factor);
}

/// Reads and writes 16 bytes of each of one or two rows, side by side.
template <class V>
WINGBEAT_LANES V load_beside(const typename V::Real* in, [[maybe_unused]] size_t pitch) {
#if defined(__AVX2__)
  if constexpr (V::width * sizeof(typename V::Real) == 32) {
    __m256d joined = _mm256_castpd128_pd256(_mm_loadu_pd((const double*)in));
    joined = _mm256_insertf128_pd(joined, _mm_loadu_pd((const double*)(in + pitch)), 1);
    return V{(typename V::vector)joined};
  }
#endif
  return load<V>(in);
}
template <class V>
WINGBEAT_LANES void store_beside(typename V::Real* out, [[maybe_unused]] size_t pitch, V given) {
#if defined(__AVX2__)
  if constexpr (V::width * sizeof(typename V::Real) == 32) {
    _mm_storeu_pd((double*)out, _mm256_castpd256_pd128((__m256d)given.v));
    return _mm_storeu_pd((double*)(out + pitch), _mm256_extractf128_pd((__m256d)given.v, 1));
  }
#endif
  store(out, given);
}

/// As many rows as a vector holds numbers; pitches count reals. 16 bytes of fp32 are two numbers of
/// a row, the last two of which may overlap those before.
template <int N, bool Inverse, class V>
[[gnu::flatten]] inline void rows_of_numbers(const typename V::Real* in, size_t in_pitch,
                                             typename V::Real* out, size_t out_pitch, V factor) {
  using Real = typename V::Real;
  constexpr auto lane_indices = indices_below<V::width>{};
  constexpr int side = 8 / int{sizeof(Real)};                // numbers in 16 bytes
  constexpr size_t n_halves = V::width * sizeof(Real) / 16;  // rows that are loaded at once
  V x[N];
  WINGBEAT_UNROLL
  for (int square = 0; square * side < N; ++square) {
    const size_t j = first_of_tile(square, side, N);
    x[j] = load_beside<V>(in + 2 * j, in_pitch);
    if constexpr (side == 2) {
      const V other = load_beside<V>(in + n_halves * in_pitch + 2 * j, in_pitch);
      x[j + 1] = weave<2, 4, true>(x[j], other, lane_indices);
      x[j] = weave<2, 4, false>(x[j], other, lane_indices);
    }
  }
  numbers<Inverse>(x);
  WINGBEAT_UNROLL
  for (int j = 0; j < N; ++j) x[j] = x[j] * factor;
  WINGBEAT_UNROLL
  for (int square = 0; square * side < N; ++square) {
    const size_t j = first_of_tile(square, side, N);
    if constexpr (side == 2) {
      store_beside(out + 2 * j, out_pitch, weave<2, 4, false>(x[j], x[j + 1], lane_indices));
      store_beside(out + n_halves * out_pitch + 2 * j, out_pitch,
                   weave<2, 4, true>(x[j], x[j + 1], lane_indices));
    } else {
      store_beside(out + 2 * j, out_pitch, x[j]);
    }
  }
}

/// Vectors of rows of 32 bytes, or where there are none of 16, and the others alone.
template <int N, bool Inverse, class Real, int Width>
void all_rows_of_numbers(const chain&, const Real*, const rows<Real>& work, Real*) {
  constexpr int widest = 32 / int{sizeof(Real)};
  using V = simd<Real, (Width < widest ? Width : widest)>;
  constexpr size_t n_together = V::width / 2;
  const size_t in_pitch = 2 * work.in_pitch, out_pitch = 2 * work.out_pitch;
  const single_row<Real> of_single{nullptr, work.scale, N};
  const Real* in = work.in;
  Real* out = work.out;
  size_t left = work.count;
  if constexpr (n_together > 1) {
    for (const V factor{work.scale - typename V::vector{}}; left >= n_together;
         left -= n_together) {
      rows_of_numbers<N, Inverse>(in, in_pitch, out, out_pitch, factor);
      in += n_together * in_pitch;
      out += n_together * out_pitch;
    }
  }
  for (; left > 0; --left, in += in_pitch, out += out_pitch) {
    row_of_numbers<N, Inverse, Real>(&of_single, reinterpret_cast<const std::byte*>(in),
                                     reinterpret_cast<std::byte*>(out));
  }
}

}  // namespace wingbeat::backend::host::WINGBEAT_HOST_ISA
