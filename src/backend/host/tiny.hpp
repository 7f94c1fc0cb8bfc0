// SPDX-License-Identifier: Apache-2.0
// Lengths 1 to 16, each lane a row of its own: `width` adjacent rows fill 2 N vectors exactly.
#pragma once

#include "backend/host/kernels.hpp"  // rows
#include "backend/host/simd.hpp"     // simd, zip, unzip
#include "backend/host/stage.hpp"    // butterfly

namespace wingbeat::backend::host::WINGBEAT_HOST_ISA {

/// Rotates the bits of a number's place (vector, lane) by one: right when taking apart,
///     (row, column, re|im)  ->  (re|im, row, column)  ->  ...  ->  (column, re|im, row)
/// so that after log2(2 N) rounds the lanes hold rows.
template <int Vectors, class V>
WINGBEAT_LANES void take_apart(V (&v)[Vectors]) {
  V half[Vectors];
  WINGBEAT_UNROLL
  for (int i = 0; i < Vectors / 2; ++i) {
    unzip(v[2 * i], v[2 * i + 1]);
    half[i] = v[2 * i];
    half[i + Vectors / 2] = v[2 * i + 1];
  }
  WINGBEAT_UNROLL
  for (int i = 0; i < Vectors; ++i) v[i] = half[i];
}

/// Undoes take_apart.
template <int Vectors, class V>
WINGBEAT_LANES void put_together(V (&v)[Vectors]) {
  V whole[Vectors];
  WINGBEAT_UNROLL
  for (int i = 0; i < Vectors / 2; ++i) {
    zip(v[i], v[i + Vectors / 2]);
    whole[2 * i] = v[i];
    whole[2 * i + 1] = v[i + Vectors / 2];
  }
  WINGBEAT_UNROLL
  for (int i = 0; i < Vectors; ++i) v[i] = whole[i];
}

/// Transforms `width` adjacent rows of N.
template <int N, bool Swapped, class V>
[[gnu::flatten]] inline void tiny_tile(const typename V::Real* in, typename V::Real* out,
                                       typename V::Real scale) {
  V v[2 * N];
  WINGBEAT_UNROLL
  for (int i = 0; i < 2 * N; ++i) v[i] = load<V>(in + i * V::width);
  if constexpr (V::width > 1) {
    WINGBEAT_UNROLL
    for (int m = 1; m < 2 * N; m *= 2) take_apart(v);
  }
  lanes<V> x[N];
  WINGBEAT_UNROLL
  for (int j = 0; j < N; ++j) x[j] = {v[2 * j + Swapped], v[2 * j + 1 - Swapped]};
  butterfly(x);
  const V by{scale - typename V::vector{}};
  WINGBEAT_UNROLL
  for (int j = 0; j < N; ++j) {
    v[2 * j + Swapped] = x[j].re * by;
    v[2 * j + 1 - Swapped] = x[j].im * by;
  }
  if constexpr (V::width > 1) {
    WINGBEAT_UNROLL
    for (int m = 1; m < 2 * N; m *= 2) put_together(v);
  }
  WINGBEAT_UNROLL
  for (int i = 0; i < 2 * N; ++i) store(out + i * V::width, v[i]);
}

/// Transforms up to `width` rows that are not adjacent, or fewer than `width`, through a copy.
template <int N, bool Swapped, class V>
void tiny_copied(const rows<typename V::Real>& what, size_t row, size_t count) {
  using Real = typename V::Real;
  constexpr size_t row_bytes = 2 * N * sizeof(Real);
  Real tile[2 * N * V::width] = {};
  for (size_t i = 0; i < count; ++i) {
    __builtin_memcpy(tile + 2 * N * i, what.in + 2 * what.in_pitch * (row + i), row_bytes);
  }
  tiny_tile<N, Swapped, V>(tile, tile, what.scale);
  for (size_t i = 0; i < count; ++i) {
    __builtin_memcpy(what.out + 2 * what.out_pitch * (row + i), tile + 2 * N * i, row_bytes);
  }
}

template <int N, bool Swapped, class V>
void tiny_rows(const rows<typename V::Real>& what, size_t row) {
  constexpr size_t w = V::width;
  const bool are_adjacent = what.in_pitch == N && what.out_pitch == N;
  for (; what.count - row >= w; row += w) {
    if (are_adjacent) {
      tiny_tile<N, Swapped, V>(what.in + 2 * N * row, what.out + 2 * N * row, what.scale);
    } else {
      tiny_copied<N, Swapped, V>(what, row, w);
    }
  }
  const size_t left = what.count - row;
  if (left == 0) return;
  if constexpr (w * sizeof(typename V::Real) > 16) {
    if (left <= w / 2) return tiny_rows<N, Swapped, simd<typename V::Real, w / 2>>(what, row);
  }
  tiny_copied<N, Swapped, V>(what, row, left);
}

template <int N, class V>
void tiny_of_length(const rows<typename V::Real>& what) {
  if (what.is_swapped) return tiny_rows<N, true, V>(what, 0);
  tiny_rows<N, false, V>(what, 0);
}

/// kernels::tiny
template <class Real, int Width>
void tiny(size_t length, const rows<Real>& what) {
  using V = simd<Real, Width>;
  switch (length) {
    case 1:
      return tiny_of_length<1, V>(what);
    case 2:
      return tiny_of_length<2, V>(what);
    case 4:
      return tiny_of_length<4, V>(what);
    case 8:
      return tiny_of_length<8, V>(what);
    default:
      return tiny_of_length<16, V>(what);
  }
}

}  // namespace wingbeat::backend::host::WINGBEAT_HOST_ISA
