// SPDX-License-Identifier: Apache-2.0
// Long rows as matrices: columns, times step roots, into blocks of rows; then the rows, a block at
// a time, each lane one of them.
#pragma once

#include "backend/host/kernels.hpp"         // matrix, tiles, place_of
#include "backend/host/lanes/stage.hpp"     // first_in_columns, last_in_column, last_split, last
#include "backend/host/lanes/stockham.hpp"  // with_radix, run_middle
#include "backend/host/lanes/strip.hpp"     // run_all_but_last

namespace wingbeat::backend::host::WINGBEAT_HOST_ISA {

/// Transforms one tile of columns whose lengths are multiples of the width: all `width` columns at
/// once in the first stage, which transposes them, then one after another.
template <bool Swapped, class V>
void transform_columns(const matrix<typename V::Real>& shape, const tiles<typename V::Real>& work,
                       size_t tile) {
  using Real = typename V::Real;
  constexpr size_t w = V::width;
  const chain& columns = shape.columns;
  const size_t a = columns.length;
  const size_t pitch = a + w;  // one block more, so that columns do not share a cache set
  const stage& head = columns.stages[0];
  const int tail = columns.stages[columns.n_stages - 1].radix;
  with_radix<V>(head.radix, [&](auto r) {
    if constexpr (decltype(r)::value % V::width == 0) {
      first_in_columns<decltype(r)::value, Swapped, V>(work.in + 2 * w * tile, shape.rows.length,
                                                       work.scratch, pitch,
                                                       shape.roots + head.roots, a / head.radix);
    }
  });
  for (size_t l = 0; l < w; ++l) {
    const size_t j2 = tile * w + l;
    Real* const column = work.scratch + 2 * pitch * l;
    const Real* const stages = run_middle<V>(
        columns, shape.roots, column, work.scratch + 2 * pitch * w, column, head.radix / w, 1);
    with_radix<V>(tail, [&](auto r) {
      last_in_column<decltype(r)::value, V>(stages, work.blocks + 2 * w * j2, shape.block_pitch,
                                            shape.step_lane + 2 * w * j2,
                                            shape.step_first + 2 * (a / w) * j2, a / w / tail);
    });
  }
}

/// Stores a strip of columns from `first` on times their step roots to blocks of rows: lanes hold
/// neighbours k1 afterwards. The first `n_stored` are there already. The roots come as products or
/// as factors.
template <bool AreProducts, class V>
[[gnu::flatten, gnu::noinline]] void store_blocks(const matrix<typename V::Real>& shape,
                                                  size_t first, size_t n_stored,
                                                  const typename V::Real* strip,
                                                  typename V::Real* blocks) {
  using Real = typename V::Real;
  constexpr int w = V::width;
  const size_t a = shape.columns.length, n_blocks = (a + w - 1) / w;
  const Real* const lane_roots = shape.step_lane + 2 * w * first;
  for (size_t block = 0; block < n_blocks; ++block) {
    V re[w], im[w];
    WINGBEAT_UNROLL
    for (int i = 0; i < w; ++i) {
      const size_t k1 = first_of_tile(block, w, a) + place_of<Real>(i, w);
      const lanes<V> z = k1 < a ? load_split<V>(strip + 2 * w * k1) : lanes<V>{V{0.0}, V{0.0}};
      re[i] = z.re;
      im[i] = z.im;
    }
    transpose<w>(re);
    transpose<w>(im);
    const size_t offset = 2 * (shape.block_pitch * block + w * first);
    const Real* const first_roots = shape.step_first + 2 * (n_blocks * first + block);
    WINGBEAT_UNROLL
    for (int l = 0; l < w; ++l) {
      const auto lane = static_cast<size_t>(place_of<Real>(l, w));
      if (lane < n_stored) continue;
      const size_t column = 2 * w * lane;
      const lanes<V> root = AreProducts ? load_split<V>(shape.step + offset + column)
                                        : load_split<V>(lane_roots + column) *
                                              broadcast<V>(first_roots + 2 * n_blocks * lane);
      store_split<V>(blocks + offset + column, lanes<V>{re[l], im[l]} * root);
    }
  }
}

/// Transforms one strip of columns of any length.
template <bool Swapped, class V>
void transform_strip_of_columns(const matrix<typename V::Real>& shape,
                                const tiles<typename V::Real>& work, size_t tile) {
  using Real = typename V::Real;
  constexpr size_t w = V::width;
  const chain& columns = shape.columns;
  const size_t a = columns.length, b = shape.rows.length;
  const size_t first = first_of_tile(tile, w, b);
  const Real* const in = work.in + 2 * first;
  const auto store = shape.step != nullptr ? store_blocks<true, V> : store_blocks<false, V>;
  Real* strip = work.scratch;
  if (columns.n_stages == 1) {
    with_radix<V>(columns.stages[0].radix, [&](auto r) {
      first_of_strip<decltype(r)::value, true, Swapped, V>(in, b, strip, nullptr, 1);
    });
  } else {
    const Real* const stages = run_all_but_last<Swapped, V>(columns, shape.roots, in, b, strip);
    if (stages == strip) strip += 2 * w * a;
    const int tail = columns.stages[columns.n_stages - 1].radix;
    with_radix<V>(tail,
                  [&](auto r) { last_split<decltype(r)::value, V>(stages, strip, a / tail); });
  }
  store(shape, first, tile * w - first, strip, work.blocks);
}

/// Stores the first `a` lanes of b vectors one after another; a b is at least the width. Each
/// vector overwrites the lanes that the one before it wrote too many. bins: [k2][lane] pairs
template <class V>
void store_few_lanes(const typename V::Real* bins, size_t a, size_t b, typename V::Real* out) {
  constexpr size_t w = V::width;
  for (size_t k2 = 0; k2 < b; ++k2) {
    const auto* const row = bins + 2 * w * k2;
    if ((b - k2) * a >= w) {
      store_split<V>(out + 2 * a * k2, load_split<V>(row));
    } else {
      __builtin_memcpy(out + 2 * a * k2, row, 2 * a * sizeof(typename V::Real));
    }
  }
}

/// Transforms a block of `width` rows, one per lane.
template <bool Swapped, class V>
void transform_block(const matrix<typename V::Real>& shape, const tiles<typename V::Real>& work,
                     size_t tile) {
  using Real = typename V::Real;
  constexpr size_t w = V::width;
  const size_t a = shape.columns.length, b = shape.rows.length;
  const int tail = shape.rows.stages[shape.rows.n_stages - 1].radix;
  const Real* const stages =
      run_middle<V>(shape.rows, shape.roots, work.blocks + 2 * shape.block_pitch * tile,
                    work.scratch, work.scratch + 2 * w * b, 1, 0);
  const bool has_all_lanes = a >= w;
  Real* const out = work.out + 2 * first_of_tile(tile, w, a);
  Real* const bins = has_all_lanes ? out : work.scratch + 4 * w * b;
  with_radix<V>(tail, [&](auto r) {
    last<decltype(r)::value, Swapped, V>(stages, bins, has_all_lanes ? a : w, b / tail, work.scale);
  });
  if (!has_all_lanes) store_few_lanes<V>(bins, a, b, out);
}

/// kernels::columns
template <class Real>
void columns(const matrix<Real>& shape, const tiles<Real>& work) {
  using V = widest<Real>;
  const auto transform =
      shape.is_divided
          ? (work.is_swapped ? transform_columns<true, V> : transform_columns<false, V>)
          : (work.is_swapped ? transform_strip_of_columns<true, V>
                             : transform_strip_of_columns<false, V>);
  for (size_t tile = work.first; tile < work.end; ++tile) transform(shape, work, tile);
}

/// kernels::blocks
template <class Real>
void blocks(const matrix<Real>& shape, const tiles<Real>& work) {
  using V = widest<Real>;
  const auto transform = work.is_swapped ? transform_block<true, V> : transform_block<false, V>;
  for (size_t tile = work.first; tile < work.end; ++tile) transform(shape, work, tile);
}

}  // namespace wingbeat::backend::host::WINGBEAT_HOST_ISA
