// SPDX-License-Identifier: Apache-2.0
// Lengths that need not be multiples of a vector's width: columns, each lane one of them; and the
// two halves of a matrix transform: strips of columns, times step roots, into blocks of rows; then
// strips of rows.
#pragma once

#include "backend/host/kernels.hpp"   // matrix, tiles, place_of
#include "backend/host/stage.hpp"     // butterfly, turn_alike, middle, last
#include "backend/host/stockham.hpp"  // with_radix, run_middle
#include "backend/host/strip.hpp"     // whole_strip

namespace wingbeat::backend::host::WINGBEAT_HOST_ISA {

/// Rows of a strip, pairs: those below `n_direct` lie `pitch` numbers apart from `direct` on, the
/// others, where a whole vector would reach beyond the input, at `copied`, a vector each.
template <class Real>
struct strip_rows {
  const Real* direct;
  size_t pitch;
  size_t n_direct;
  const Real* copied;
};

/// First stage.  in: [r][p];  out: [p][k] split;  roots: [p][k - 1], null if it is the only stage.
template <int Radix, bool Swapped, class V>
[[gnu::flatten, gnu::noinline]] void first_of_columns(const strip_rows<typename V::Real>& in,
                                                      typename V::Real* out,
                                                      const typename V::Real* roots, size_t n_p) {
  constexpr size_t block = 2 * V::width;
  for (size_t p = 0; p < n_p; ++p) {
    lanes<V> x[Radix];
    WINGBEAT_UNROLL
    for (int r = 0; r < Radix; ++r) {
      const size_t row = p + r * n_p;
      x[r] = load_placed<Swapped, V>(row < in.n_direct ? in.direct + 2 * in.pitch * row
                                                       : in.copied + block * (row - in.n_direct));
    }
    butterfly(x);
    if (roots != nullptr) {
      turn_alike(x, roots);
      roots += 2 * (Radix - 1);
    }
    WINGBEAT_UNROLL
    for (int k = 0; k < Radix; ++k) store_split<V>(out + block * (Radix * p + k), x[k]);
  }
}

/// A last stage within a strip.  in: [r][q] split;  out: [k][q] split
template <int Radix, class V>
[[gnu::flatten, gnu::noinline]] void last_split(const typename V::Real* in, typename V::Real* out,
                                                size_t n_q) {
  constexpr size_t block = 2 * V::width;
  for (size_t q = 0; q < n_q; ++q) {
    lanes<V> x[Radix];
    WINGBEAT_UNROLL
    for (int r = 0; r < Radix; ++r) x[r] = load_split<V>(in + block * (q + r * n_q));
    butterfly(x);
    WINGBEAT_UNROLL
    for (int k = 0; k < Radix; ++k) store_split<V>(out + block * (q + k * n_q), x[k]);
  }
}

/// Returns number k1 of a strip of columns times its step roots w^(k1 j2).
template <class V>
WINGBEAT_LANES lanes<V> stepped(const matrix<typename V::Real>& how, size_t tile, size_t k1,
                                const typename V::Real* column) {
  constexpr size_t block = 2 * V::width;
  const size_t a = how.columns.length;
  const lanes<V> z = load_split<V>(column + block * k1);
  if (how.step != nullptr) return z * load_split<V>(how.step + block * (a * tile + k1));
  return z * (load_split<V>(how.step_lane + block * k1) *
              broadcast<V>(how.step_first + 2 * (a * tile + k1)));
}

/// Stores a strip of `n_lanes` columns to blocks of rows: lanes hold neighbours k1 afterwards.
template <class V>
[[gnu::flatten, gnu::noinline]] void store_blocks(const matrix<typename V::Real>& how, size_t tile,
                                                  size_t n_lanes, const typename V::Real* column,
                                                  typename V::Real* out) {
  constexpr int w = V::width;
  const size_t a = how.columns.length;
  for (size_t k1 = 0; k1 < a; k1 += w) {
    V re[w], im[w];
    WINGBEAT_UNROLL
    for (int i = 0; i < w; ++i) {
      const size_t k = k1 + place_of<typename V::Real>(i, w);
      const lanes<V> z = k < a ? stepped<V>(how, tile, k, column) : lanes<V>{V{0.0}, V{0.0}};
      re[i] = z.re;
      im[i] = z.im;
    }
    transpose<w>(re);
    transpose<w>(im);
    typename V::Real* const to = out + 2 * (how.block_pitch * (k1 / w) + tile * w * w);
    WINGBEAT_UNROLL
    for (int l = 0; l < w; ++l) {
      const auto j2 = static_cast<size_t>(place_of<typename V::Real>(l, w));
      if (j2 < n_lanes) store_split<V>(to + 2 * w * j2, {re[l], im[l]});
    }
  }
}

/// Returns the rows of a strip of columns, those copied that a vector would read beyond the input.
template <class V>
strip_rows<typename V::Real> rows_of_strip(const matrix<typename V::Real>& how,
                                           const tiles<typename V::Real>& what, size_t tile,
                                           size_t n_lanes, typename V::Real* copy) {
  using Real = typename V::Real;
  constexpr size_t w = V::width;
  const size_t a = how.columns.length, b = how.rows.length;
  strip_rows<Real> result{what.in + 2 * w * tile, b, a, copy};
  while (result.n_direct > 0 && (result.n_direct - 1) * b + tile * w + w > a * b) {
    --result.n_direct;
  }
  for (size_t row = result.n_direct; row < a; ++row) {
    Real* const to = copy + 2 * w * (row - result.n_direct);
    for (size_t i = 0; i < 2 * w; ++i) to[i] = Real{0};
    __builtin_memcpy(to, result.direct + 2 * b * row, 2 * n_lanes * sizeof(Real));
  }
  return result;
}

template <bool Swapped, class V>
void columns_of_tile(const matrix<typename V::Real>& how, const tiles<typename V::Real>& what,
                     size_t tile) {
  using Real = typename V::Real;
  constexpr size_t w = V::width;
  const chain& columns = how.columns;
  const size_t a = columns.length, left = how.rows.length - tile * w;
  const size_t n_lanes = left < w ? left : w;
  Real* const other = what.scratch + 2 * w * a;
  const auto in = rows_of_strip<V>(how, what, tile, n_lanes, other + 2 * w * a);
  const bool is_only = columns.n_stages == 1;
  with_radix<radices::any>(columns.stages[0].radix, [&](auto r) {
    first_of_columns<decltype(r)::value, Swapped, V>(
        in, what.scratch, is_only ? nullptr : how.roots + columns.stages[0].roots,
        a / columns.stages[0].radix);
  });
  if (is_only) return store_blocks<V>(how, tile, n_lanes, what.scratch, what.out);
  const int tail = columns.stages[columns.n_stages - 1].radix;
  const Real* turned = run_middle<V, radices::any>(columns, how.roots, what.scratch, other,
                                                   columns.stages[0].radix, 1);
  Real* const to = turned == what.scratch ? other : what.scratch;
  with_radix<radices::any>(
      tail, [&](auto r) { last_split<decltype(r)::value, V>(turned, to, a / tail); });
  store_blocks<V>(how, tile, n_lanes, to, what.out);
}

/// `width` rows, one per lane. Of the last block, which may have fewer, the bins go through a copy.
template <bool Swapped, class V>
void rows_of_tile(const matrix<typename V::Real>& how, const tiles<typename V::Real>& what,
                  size_t tile) {
  using Real = typename V::Real;
  constexpr size_t w = V::width;
  const chain& rows = how.rows;
  const size_t a = how.columns.length, b = rows.length, left = a - tile * w;
  const Real* turned = what.in + 2 * how.block_pitch * tile;
  Real* const other = what.scratch + 2 * w * b;
  if (rows.n_stages > 1) {
    with_radix<radices::any>(rows.stages[0].radix, [&](auto r) {
      middle<decltype(r)::value, V>(turned, what.scratch, how.roots + rows.stages[0].roots,
                                    b / rows.stages[0].radix, 1);
    });
    turned =
        run_middle<V, radices::any>(rows, how.roots, what.scratch, other, rows.stages[0].radix, 1);
  }
  const int tail = rows.stages[rows.n_stages - 1].radix;
  Real* const out = what.out + 2 * w * tile;
  const bool is_whole = left >= w;
  Real* const bins = other + 2 * w * b;
  with_radix<radices::any>(tail, [&](auto r) {
    last<decltype(r)::value, Swapped, V>(turned, is_whole ? out : bins, is_whole ? a : w, b / tail,
                                         what.scale);
  });
  if (is_whole) return;
  for (size_t k2 = 0; k2 < b; ++k2) {
    __builtin_memcpy(out + 2 * a * k2, bins + 2 * w * k2, 2 * left * sizeof(Real));
  }
}

template <bool Swapped, class V>
void transform_columns_in_lanes(const chain& how, const typename V::Real* roots,
                                const strip<typename V::Real>& what) {
  using Real = typename V::Real;
  const size_t n = how.length;
  const int head = how.stages[0].radix, tail = how.stages[how.n_stages - 1].radix;
  if (how.n_stages == 1) {
    return with_radix<radices::any>(
        head, [&](auto r) { whole_strip<decltype(r)::value, Swapped, V>(what); });
  }
  with_radix<radices::any>(head, [&](auto r) {
    first_of_columns<decltype(r)::value, Swapped, V>(
        strip_rows<Real>{what.in, what.in_pitch, n, nullptr}, what.scratch,
        roots + how.stages[0].roots, n / head);
  });
  const Real* turned = run_middle<V, radices::any>(how, roots, what.scratch,
                                                   what.scratch + 2 * V::width * n, head, 1);
  with_radix<radices::any>(tail, [&](auto r) {
    last<decltype(r)::value, Swapped, V>(turned, what.out, what.out_pitch, n / tail, what.scale);
  });
}

template <class V>
void strip_of_lanes(const chain& how, const typename V::Real* roots,
                    const strip<typename V::Real>& what) {
  if (what.is_swapped) return transform_columns_in_lanes<true, V>(how, roots, what);
  transform_columns_in_lanes<false, V>(how, roots, what);
}

template <class V>
void columns_of(const matrix<typename V::Real>& how, const tiles<typename V::Real>& what) {
  for (size_t tile = what.first; tile < what.end; ++tile) {
    if (what.is_swapped) {
      columns_of_tile<true, V>(how, what, tile);
    } else {
      columns_of_tile<false, V>(how, what, tile);
    }
  }
}

template <class V>
void blocks_of(const matrix<typename V::Real>& how, const tiles<typename V::Real>& what) {
  for (size_t tile = what.first; tile < what.end; ++tile) {
    if (what.is_swapped) {
      rows_of_tile<true, V>(how, what, tile);
    } else {
      rows_of_tile<false, V>(how, what, tile);
    }
  }
}

}  // namespace wingbeat::backend::host::WINGBEAT_HOST_ISA
