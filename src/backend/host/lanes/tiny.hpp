// SPDX-License-Identifier: Apache-2.0
// Rows of 1, 2, 4 and 8 points, each lane a row of its own: `width` adjacent rows fill 2 N vectors
// exactly. Rows of other lengths stay pairs: numbers.hpp.
#pragma once

#include "backend/host/kernels.hpp"        // rows
#include "backend/host/lanes/numbers.hpp"  // all_rows_of_numbers
#include "backend/host/lanes/simd.hpp"     // simd, transpose
#include "backend/host/lanes/stage.hpp"    // butterfly

namespace wingbeat::backend::host::WINGBEAT_HOST_ISA {

/// Exchanges "a vector holds a row, or several" with "a lane holds a row", [i][square] with
/// [square][i], or back. What a vector holds in which lane is as good as any other order, since the
/// way back undoes it.
template <bool Back, int Reals, class V>
WINGBEAT_LANES void exchange_rows_and_lanes(V (&v)[Reals]) {
  constexpr int size = Reals < V::width ? Reals : V::width;
  constexpr int n_squares = Reals / size;
  V exchanged[Reals];
  WINGBEAT_UNROLL
  for (int square = 0; square < n_squares; ++square) {
    V row[size];
    WINGBEAT_UNROLL
    for (int i = 0; i < size; ++i) row[i] = v[Back ? square * size + i : i * n_squares + square];
    transpose<size>(row);
    WINGBEAT_UNROLL
    for (int i = 0; i < size; ++i) {
      exchanged[Back ? i * n_squares + square : square * size + i] = row[i];
    }
  }
  WINGBEAT_UNROLL
  for (int i = 0; i < Reals; ++i) v[i] = exchanged[i];
}

/// Transforms `width` adjacent rows of N.
template <int N, bool Swapped, class V>
[[gnu::flatten]] inline void tiny_tile(const typename V::Real* in, typename V::Real* out,
                                       typename V::Real scale) {
  V v[2 * N];  // [j][re, im] between the exchanges
  WINGBEAT_UNROLL
  for (int i = 0; i < 2 * N; ++i) v[i] = load<V>(in + i * V::width);
  exchange_rows_and_lanes<false>(v);
  lanes<V> x[N];
  WINGBEAT_UNROLL
  for (int j = 0; j < N; ++j) x[j] = {v[2 * j + Swapped], v[2 * j + 1 - Swapped]};
  butterfly(x);
  const V factor{scale - typename V::vector{}};
  WINGBEAT_UNROLL
  for (int j = 0; j < N; ++j) {
    v[2 * j + Swapped] = x[j].re * factor;
    v[2 * j + 1 - Swapped] = x[j].im * factor;
  }
  exchange_rows_and_lanes<true>(v);
  WINGBEAT_UNROLL
  for (int i = 0; i < 2 * N; ++i) store(out + i * V::width, v[i]);
}

/// Transforms `width` rows that are not adjacent, through a copy.
template <int N, bool Swapped, class V>
void tiny_copied(const rows<typename V::Real>& work, size_t row) {
  using Real = typename V::Real;
  constexpr size_t row_bytes = 2 * N * sizeof(Real);
  Real tile[2 * N * V::width];
  for (size_t i = 0; i < V::width; ++i) {
    __builtin_memcpy(tile + 2 * N * i, work.in + 2 * work.in_pitch * (row + i), row_bytes);
  }
  tiny_tile<N, Swapped, V>(tile, tile, work.scale);
  for (size_t i = 0; i < V::width; ++i) {
    __builtin_memcpy(work.out + 2 * work.out_pitch * (row + i), tile + 2 * N * i, row_bytes);
  }
}

/// Transforms rows from `row` on: as many as fill these vectors, the rest with narrower ones.
template <int N, bool Swapped, class V>
void tiny_rows(const rows<typename V::Real>& work, size_t row) {
  using Real = typename V::Real;
  constexpr int w = V::width;
  const bool are_adjacent = work.in_pitch == N && work.out_pitch == N;
  for (; work.count - row >= w; row += w) {
    const Real* const in = work.in + 2 * work.in_pitch * row;
    Real* const out = work.out + 2 * work.out_pitch * row;
    if (w == 1 || are_adjacent) {
      tiny_tile<N, Swapped, V>(in, out, work.scale);
    } else {
      tiny_copied<N, Swapped, V>(work, row);
    }
  }
  if constexpr (w > 1) {
    constexpr int narrower = w * sizeof(Real) > 16 ? w / 2 : 1;
    if (row < work.count) tiny_rows<N, Swapped, simd<Real, narrower>>(work, row);
  }
}

template <int N, bool Swapped, class Real, int Width>
void tiny_of_length(const chain&, const Real*, const rows<Real>& work, Real*) {
  tiny_rows<N, Swapped, simd<Real, Width>>(work, 0);
}

template <int N, class Real, int Width>
rows_kernel<Real> tiny_kernel(bool is_swapped) {
  if constexpr (has_number_rows(N, sizeof(Real))) {
    return is_swapped ? all_rows_of_numbers<N, direction::inverse, Real, Width>
                      : all_rows_of_numbers<N, direction::forward, Real, Width>;
  } else if constexpr (N <= 8) {
    return is_swapped ? tiny_of_length<N, true, Real, Width>
                      : tiny_of_length<N, false, Real, Width>;
  }
  return nullptr;
}

/// kernels::tiny
template <class Real, int Width>
rows_kernel<Real> tiny(size_t length, bool is_swapped) {
  return kernel_for<35>(
      length, [&](auto n) { return tiny_kernel<decltype(n)::value, Real, Width>(is_swapped); });
}

}  // namespace wingbeat::backend::host::WINGBEAT_HOST_ISA
