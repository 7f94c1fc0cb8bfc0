// SPDX-License-Identifier: Apache-2.0
// Convolutions by their sums: a tile of results in registers, to which each tap adds.
//   y[n] = sum over r, j of t[r][j] x[r][n + start - j]
// Complex numbers are summed as the reals that they are:  sums[0] of re(t) x, sums[1] of im(t) x.
#pragma once

#include <cstddef>  // ptrdiff_t

#include "backend/host/lanes/simd.hpp"   // load, store, widest
#include "backend/host/sum_kernels.hpp"  // summed_rows

namespace wingbeat::backend::host::WINGBEAT_HOST_ISA {

/// Vectors of a tile: as many as hide that a sum waits for the one before it.
inline constexpr int tile_vectors = 4;

/// Lanes as a vector of comparisons.
template <class V>
using lane_mask = decltype(typename V::vector{} < typename V::vector{});

/// Returns which lanes are in [first, end).
template <class V, int... I>
WINGBEAT_LANES lane_mask<V> lanes_between(std::ptrdiff_t first, std::ptrdiff_t end, indices<I...>) {
  using mask = lane_mask<V>;
  const mask number = {I...};
  const auto broadcasted = [](std::ptrdiff_t n) {
    using element = std::remove_reference_t<decltype(mask{}[0])>;
    return static_cast<element>(n) - mask{};
  };
  return (number >= broadcasted(first)) & (number < broadcasted(end));
}

/// Reads lanes [first, end) alone, which `mask` has; the others are unspecified.
template <class V>
WINGBEAT_LANES V load_between(const typename V::Real* row, [[maybe_unused]] lane_mask<V> mask,
                              [[maybe_unused]] std::ptrdiff_t first,
                              [[maybe_unused]] std::ptrdiff_t end) {
  [[maybe_unused]] constexpr bool is_short = sizeof(typename V::Real) == 4;
  V lanes_read;
#if defined(__AVX512F__)
  const auto bits = ((1U << end) - 1) & ~((1U << first) - 1);
  if constexpr (is_short) {
    const auto loaded = _mm512_maskz_loadu_ps(__mmask16(bits), row);
    __builtin_memcpy(&lanes_read.v, &loaded, sizeof lanes_read.v);
  } else {
    const auto loaded = _mm512_maskz_loadu_pd(__mmask8(bits), row);
    __builtin_memcpy(&lanes_read.v, &loaded, sizeof lanes_read.v);
  }
#elif defined(__AVX2__)
  __m256i chosen;
  __builtin_memcpy(&chosen, &mask, sizeof chosen);
  if constexpr (is_short) {
    const auto loaded = _mm256_maskload_ps(row, chosen);
    __builtin_memcpy(&lanes_read.v, &loaded, sizeof lanes_read.v);
  } else {
    const auto loaded = _mm256_maskload_epi64(reinterpret_cast<const long long*>(row), chosen);
    __builtin_memcpy(&lanes_read.v, &loaded, sizeof lanes_read.v);
  }
#else
  lanes_read.v = typename V::vector{};
  for (std::ptrdiff_t l = first; l < end; ++l) lanes_read.v[l] = row[l];
#endif
  return lanes_read;
}

/// One tap: its real numbers in all lanes.
template <class V, int Parts>
struct tap_lanes {
  V part[Parts];

  WINGBEAT_LANES tap_lanes(const typename V::Real* tap, typename V::Real sign)
      : part{V{tap[0] - typename V::vector{}}} {
    if constexpr (Parts == 2) part[1] = V{sign * tap[1] - typename V::vector{}};
  }
};

/// Sums of a tile.
template <class V, int Parts>
struct tile_sums {
  using Real = typename V::Real;
  static constexpr std::ptrdiff_t width = V::width;
  static constexpr std::ptrdiff_t reals = width * tile_vectors;
  V sums[Parts][tile_vectors] = {};

  /// Adds a tap times the reals from `reals_of_row` on.
  WINGBEAT_LANES void add(const tap_lanes<V, Parts>& tap, const Real* reals_of_row) {
    WINGBEAT_UNROLL
    for (int v = 0; v < tile_vectors; ++v) {
      const V x = load<V>(reals_of_row + v * width);
      WINGBEAT_UNROLL
      for (int p = 0; p < Parts; ++p) sums[p][v] = sums[p][v] + tap.part[p] * x;
    }
  }

  WINGBEAT_LANES void add(const tile_sums& other) {
    WINGBEAT_UNROLL
    for (int v = 0; v < tile_vectors; ++v) {
      for (int p = 0; p < Parts; ++p) sums[p][v] = sums[p][v] + other.sums[p][v];
    }
  }

  /// Adds a tap times reals of a row of `length`, of which `offset` is the first one's place.
  WINGBEAT_LANES void add_partly(const tap_lanes<V, Parts>& tap, const Real* row,
                                 std::ptrdiff_t offset, std::ptrdiff_t length) {
    WINGBEAT_UNROLL
    for (int v = 0; v < tile_vectors; ++v, offset += width) {
      const std::ptrdiff_t first = offset < 0 ? -offset : 0;
      const std::ptrdiff_t end = length - offset < width ? length - offset : width;
      if (first >= end) continue;
      const auto mask = lanes_between<V>(first, end, indices_below<V::width>{});
      const V x = load_between<V>(row + offset, mask, first, end);
      WINGBEAT_UNROLL
      for (int p = 0; p < Parts; ++p) {
        sums[p][v].v = mask ? (sums[p][v] + tap.part[p] * x).v : sums[p][v].v;
      }
    }
  }

  /// Returns the results of vector v.
  template <int... I>
  WINGBEAT_LANES V result(int v, indices<I...>) const {
    if constexpr (Parts == 1) return sums[0][v];
    const typename V::vector turned =
        __builtin_shufflevector(sums[Parts - 1][v].v, sums[Parts - 1][v].v, (I ^ 1)...);
    const typename V::vector signs = {(I % 2 == 0 ? Real(-1) : Real(1))...};
    return sums[0][v] + V{signs} * V{turned};
  }
};

/// Returns `value`, or the nearer end of [least, most] where it lies outside.
WINGBEAT_LANES std::ptrdiff_t between(std::ptrdiff_t least, std::ptrdiff_t value,
                                      std::ptrdiff_t most) {
  return value < least ? least : value > most ? most : value;
}

/// Adds the sums of the tile whose first real is `first`: those of a row of taps by themselves, so
/// that a sum of many rows rounds as one of a row's taps and one of rows.
template <class V, int Parts>
WINGBEAT_LANES void add_rows(const summed_rows& rows, std::ptrdiff_t first,
                             tile_sums<V, Parts>& tile) {
  using Real = typename V::Real;
  constexpr std::ptrdiff_t tile_reals = tile_sums<V, Parts>::reals;
  const std::ptrdiff_t length = rows.length * Parts;
  // Tap j meets reals top - j Parts .. + tile_reals - 1 of a row: taps [begin, full) and
  // [last, end) meet some that are not there, those between them none.
  const std::ptrdiff_t top = first + rows.start * Parts;
  const auto taps_below = [&](std::ptrdiff_t reals) {  // j Parts < reals
    return between(0, (reals + Parts - 1) / Parts, rows.n_taps);
  };
  const std::ptrdiff_t begin = taps_below(top - length + 1), end = taps_below(top + tile_reals);
  const std::ptrdiff_t full = between(begin, taps_below(top + tile_reals - length), end);
  const std::ptrdiff_t last = between(full, taps_below(top + 1), end);
  const Real sign(rows.conjugates_taps ? -1 : 1);
  for (std::ptrdiff_t r = 0; r < rows.n_rows; ++r) {
    const auto* const row = static_cast<const Real*>(rows.signal) + Parts * r * rows.signal_pitch;
    const auto* taps = static_cast<const Real*>(rows.taps) + Parts * r * rows.taps_pitch;
    const std::ptrdiff_t step = Parts * rows.taps_stride;
    tile_sums<V, Parts> sums;
    for (std::ptrdiff_t j = begin; j < end; ++j) {
      for (; j >= full && j < last; ++j) sums.add({taps + j * step, sign}, row + top - j * Parts);
      if (j < end) sums.add_partly({taps + j * step, sign}, row, top - j * Parts, length);
    }
    tile.add(sums);
  }
}

/// A sum_kernel of numbers of so many reals.
template <class V, int Parts>
void sum_rows(const summed_rows& rows) {
  using Real = typename V::Real;
  using tile_type = tile_sums<V, Parts>;
  const std::ptrdiff_t count = rows.count * Parts;
  for (std::ptrdiff_t first = 0; first < count; first += tile_type::reals) {
    Real* const out = static_cast<Real*>(rows.out) + first;
    const std::ptrdiff_t left = between(0, count - first, tile_type::reals);
    tile_type tile;
    WINGBEAT_UNROLL
    for (int v = 0; v < tile_vectors; ++v) {
      const std::ptrdiff_t n = between(0, left - v * V::width, V::width);
      if (rows.adds) __builtin_memcpy(&tile.sums[0][v], out + v * V::width, n * sizeof(Real));
    }
    add_rows(rows, first, tile);
    WINGBEAT_UNROLL
    for (int v = 0; v < tile_vectors; ++v) {
      const V result = tile.result(v, indices_below<V::width>{});
      const std::ptrdiff_t n = between(0, left - v * V::width, V::width);
      if (n == V::width) {
        store(out + v * V::width, result);
      } else {
        __builtin_memcpy(out + v * V::width, &result, n * sizeof(Real));
      }
    }
  }
}

}  // namespace wingbeat::backend::host::WINGBEAT_HOST_ISA
