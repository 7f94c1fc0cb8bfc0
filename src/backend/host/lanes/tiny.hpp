// SPDX-License-Identifier: Apache-2.0
// Lengths 1 to 15 and 20, each lane a row of its own. Of 1, 2, 4 and 8 points `width` adjacent rows
// fill 2 N vectors exactly; other rows are moved to lanes by squares.
#pragma once

#include "backend/host/kernels.hpp"      // rows
#include "backend/host/lanes/simd.hpp"   // simd, transpose
#include "backend/host/lanes/stage.hpp"  // butterfly

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

/// Transposes squares of complex numbers, half as many to a side as a vector has reals.
template <class V>
WINGBEAT_LANES void transpose_numbers(V (&row)[V::width / 2]) {
  constexpr int side = V::width / 2;
  if constexpr (sizeof(typename V::Real) == 4) {
    using pair = simd<double, side>;  // which no instruction here computes with
    pair number[side];
    WINGBEAT_UNROLL
    for (int i = 0; i < side; ++i) number[i] = pair{(typename pair::vector)row[i].v};
    transpose<side>(number);
    WINGBEAT_UNROLL
    for (int i = 0; i < side; ++i) row[i] = V{(typename V::vector)number[i].v};
  } else if constexpr (side == 2) {
    constexpr auto lane_indices = indices_below<V::width>{};
    const V low = weave<2, 4, false>(row[0], row[1], lane_indices);
    row[1] = weave<2, 4, true>(row[0], row[1], lane_indices);
    row[0] = low;
  }
}

/// Exchanges `width` rows in memory, `pitch` reals apart, with numbers j of half of them in a
/// vector, [j][half]: squares, the last of which begin earlier where N is no multiple of theirs.
template <int N, class V>
WINGBEAT_LANES void load_numbers(const typename V::Real* in, size_t pitch, V (&number)[N][2]) {
  constexpr int side = V::width / 2;
  WINGBEAT_UNROLL
  for (int square = 0; square < 2 * ((N + side - 1) / side); ++square) {
    const size_t first = first_of_tile(square / 2, side, N);
    V row[side];
    WINGBEAT_UNROLL
    for (int i = 0; i < side; ++i) {
      row[i] = load<V>(in + pitch * (square % 2 * side + i) + 2 * first);
    }
    transpose_numbers(row);
    WINGBEAT_UNROLL
    for (int i = 0; i < side; ++i) number[first + i][square % 2] = row[i];
  }
}
template <int N, class V>
WINGBEAT_LANES void store_numbers(typename V::Real* out, size_t pitch, const V (&number)[N][2]) {
  constexpr int side = V::width / 2;
  WINGBEAT_UNROLL
  for (int square = 0; square < 2 * ((N + side - 1) / side); ++square) {
    const size_t first = first_of_tile(square / 2, side, N);
    V row[side];
    WINGBEAT_UNROLL
    for (int i = 0; i < side; ++i) row[i] = number[first + i][square % 2];
    transpose_numbers(row);
    WINGBEAT_UNROLL
    for (int i = 0; i < side; ++i) {
      store(out + pitch * (square % 2 * side + i) + 2 * first, row[i]);
    }
  }
}

/// Transforms `width` rows of N, at least half as many numbers; pitches count reals.
template <int N, bool Swapped, class V>
[[gnu::flatten]] inline void odd_tile(const typename V::Real* in, size_t in_pitch,
                                      typename V::Real* out, size_t out_pitch,
                                      typename V::Real scale) {
  constexpr auto lane_indices = indices_below<V::width>{};
  constexpr int group = 16 / int{sizeof(typename V::Real)};
  V number[N][2];
  load_numbers<N>(in, in_pitch, number);
  lanes<V> x[N];
  WINGBEAT_UNROLL
  for (int j = 0; j < N; ++j) {
    const auto [a, b] = number[j];
    x[j] = {every_other_in_lanes<Swapped>(a, b, lane_indices),
            every_other_in_lanes<!Swapped>(a, b, lane_indices)};
  }
  butterfly(x);
  const V factor{scale - typename V::vector{}};
  WINGBEAT_UNROLL
  for (int j = 0; j < N; ++j) {
    const V re = (Swapped ? x[j].im : x[j].re) * factor,
            im = (Swapped ? x[j].re : x[j].im) * factor;
    number[j][0] = weave<1, group, false>(re, im, lane_indices);
    number[j][1] = weave<1, group, true>(re, im, lane_indices);
  }
  store_numbers<N>(out, out_pitch, number);
}

template <int N>
constexpr bool is_power_of_two = (N & (N - 1)) == 0;

/// Transforms rows from `row` on: as many as fill these vectors, the rest with narrower ones.
template <int N, bool Swapped, class V>
void tiny_rows(const rows<typename V::Real>& work, size_t row) {
  using Real = typename V::Real;
  constexpr int w = V::width;
  const bool are_adjacent = work.in_pitch == N && work.out_pitch == N;
  for (; work.count - row >= w; row += w) {
    const Real* const in = work.in + 2 * work.in_pitch * row;
    Real* const out = work.out + 2 * work.out_pitch * row;
    if constexpr (w > 1 && !is_power_of_two<N>) {
      odd_tile<N, Swapped, V>(in, 2 * work.in_pitch, out, 2 * work.out_pitch, work.scale);
    } else if (w == 1 || are_adjacent) {
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

/// Returns the lanes of rows of N numbers: vectors of 32 bytes move quickest to lanes, of whose
/// squares a row fills one.
template <int N, class Real, int Width>
constexpr int tiny_width() {
  if (is_power_of_two<N>) return Width;
  const int bytes = sizeof(Real) == 4 && N < 4 ? 16 : 32;
  return Width * int{sizeof(Real)} < bytes ? Width : bytes / int{sizeof(Real)};
}

template <int N, bool Swapped, class Real, int Width>
void tiny_of_length(const chain&, const Real*, const rows<Real>& work, Real*) {
  tiny_rows<N, Swapped, simd<Real, tiny_width<N, Real, Width>()>>(work, 0);
}

template <int N, class Real, int Width>
rows_kernel<Real> tiny_kernel(bool is_swapped) {
  return is_swapped ? tiny_of_length<N, true, Real, Width> : tiny_of_length<N, false, Real, Width>;
}

/// kernels::tiny
template <class Real, int Width>
rows_kernel<Real> tiny(size_t length, bool is_swapped) {
  switch (length) {
    case 1: return tiny_kernel<1, Real, Width>(is_swapped);
    case 2: return tiny_kernel<2, Real, Width>(is_swapped);
    case 3: return tiny_kernel<3, Real, Width>(is_swapped);
    case 4: return tiny_kernel<4, Real, Width>(is_swapped);
    case 5: return tiny_kernel<5, Real, Width>(is_swapped);
    case 6: return tiny_kernel<6, Real, Width>(is_swapped);
    case 7: return tiny_kernel<7, Real, Width>(is_swapped);
    case 8: return tiny_kernel<8, Real, Width>(is_swapped);
    case 9: return tiny_kernel<9, Real, Width>(is_swapped);
    case 10: return tiny_kernel<10, Real, Width>(is_swapped);
    case 11: return tiny_kernel<11, Real, Width>(is_swapped);
    case 12: return tiny_kernel<12, Real, Width>(is_swapped);
    case 13: return tiny_kernel<13, Real, Width>(is_swapped);
    case 14: return tiny_kernel<14, Real, Width>(is_swapped);
    case 15: return tiny_kernel<15, Real, Width>(is_swapped);
    case 20: return tiny_kernel<20, Real, Width>(is_swapped);
    default: return nullptr;
  }
}

}  // namespace wingbeat::backend::host::WINGBEAT_HOST_ISA
