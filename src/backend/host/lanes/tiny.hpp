// SPDX-License-Identifier: Apache-2.0
// Rows of 1 and of 8 points, each lane a row of its own: `width` adjacent rows fill 2 N vectors
// exactly. Rows of other lengths stay pairs: numbers.hpp. All rows in registers by their length.
#pragma once

#include "backend/host/kernels.hpp"        // rows
#include "backend/host/lanes/grouped.hpp"  // row_pairs
#include "backend/host/lanes/numbers.hpp"  // all_rows_of_numbers
#include "backend/host/lanes/simd.hpp"     // simd, transpose
#include "backend/host/lanes/stage.hpp"    // butterfly

namespace wingbeat::backend::host::WINGBEAT_HOST_ISA {

/// Moves from "a vector holds one or several rows" to "a lane holds a row", [i][square] to
/// [square][i], or back. The order of rows in the lanes does not matter, because the way back
/// undoes it.
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

/// Transforms adjacent rows that fill vectors in lanes, and the others as numbers.
template <int N, bool Swapped, class Real, int Width>
void tiny_rows(const chain& factors, const Real* roots, const rows<Real>& work, Real* scratch) {
  rows<Real> left = work;
  if (work.in_pitch == 2 * N && work.out_pitch == 2 * N) {
    for (; left.count >= Width; left.count -= Width) {
      tiny_tile<N, Swapped, simd<Real, Width>>(left.in, left.out, left.scale);
      left.in += 2 * N * Width;
      left.out += 2 * N * Width;
    }
  }
  constexpr direction dir = Swapped ? direction::inverse : direction::forward;
  all_rows_of_numbers<N, dir, Real, Width>(factors, roots, left, scratch);
}

template <int N, class Real, int Width>
rows_kernel<Real> codelet_of(bool is_swapped) {
  constexpr two_stages shape = two_stages_of(N, sizeof(Real), Width);
  if constexpr (has_number_rows(N, sizeof(Real))) {
    return is_swapped ? all_rows_of_numbers<N, direction::inverse, Real, Width>
                      : all_rows_of_numbers<N, direction::forward, Real, Width>;
  } else if constexpr (N <= 8) {
    return is_swapped ? tiny_rows<N, true, Real, Width> : tiny_rows<N, false, Real, Width>;
  } else if constexpr ((N & (N - 1)) == 0 && shape.radix > 0) {
    return is_swapped ? row_pairs<shape.radix, shape.width, true, Real, Width>
                      : row_pairs<shape.radix, shape.width, false, Real, Width>;
  }
  return nullptr;
}

/// kernels::codelet
template <class Real, int Width>
rows_kernel<Real> codelet(size_t length, bool is_swapped) {
  return kernel_for<64>(
      length, [&](auto n) { return codelet_of<decltype(n)::value, Real, Width>(is_swapped); });
}

}  // namespace wingbeat::backend::host::WINGBEAT_HOST_ISA
