// SPDX-License-Identifier: Apache-2.0
// One row of A B points, A a radix:  j = j1 B + j2,  k = k1 + A k2.  A stage over j1, each lane
// another j2, is transposed in registers; the stages over j2 have another k1 in each lane. Where A
// fills vectors, the stages take all k1 at once; else a tile of `width` of them after another.
#pragma once

#include "backend/host/kernels.hpp"         // chain, rows, first_of_tile, place_of
#include "backend/host/lanes/matrix.hpp"    // store_few_lanes
#include "backend/host/lanes/stage.hpp"     // butterfly, last
#include "backend/host/lanes/stockham.hpp"  // with_mixed_radix, run_middle

namespace wingbeat::backend::host::WINGBEAT_HOST_ISA {

/// The first stage.  in: [j1][j2] pairs, `n_columns` j2, at least the width;
/// blocks: [j2][tile of k1] split, if k1 fill vectors, else [tile of k1][j2], tiles `pitch` numbers
/// apart;  roots: [tile of j2][k1 - 1] split
template <int Radix, bool Swapped, class V>
[[gnu::flatten, gnu::noinline]] void first_transposed(const typename V::Real* in, size_t n_columns,
                                                      typename V::Real* blocks, size_t pitch,
                                                      const typename V::Real* roots) {
  using Real = typename V::Real;
  constexpr int w = V::width;
  const size_t n_tiles = (n_columns + w - 1) / w;
  for (size_t tile = 0; tile < n_tiles; ++tile) {
    const size_t first = first_of_tile(tile, w, n_columns);
    lanes<V> x[Radix];
    WINGBEAT_UNROLL
    for (int r = 0; r < Radix; ++r) {
      x[r] = load_placed<Swapped, V>(in + 2 * (first + r * n_columns));
    }
    butterfly(x);
    WINGBEAT_UNROLL
    for (int k = 1; k < Radix; ++k) x[k] = x[k] * load_split<V>(roots + 2 * w * (k - 1));
    roots += 2 * w * (Radix - 1);
    WINGBEAT_UNROLL
    for (int block = 0; block < (Radix + w - 1) / w; ++block) {
      V re[w], im[w];
      transpose_outputs(x, first_of_tile(block, w, Radix), re, im);
      WINGBEAT_UNROLL
      for (int l = 0; l < w; ++l) {
        const size_t column = first + place_of<Real>(l, w);
        const size_t place =
            Radix % w == 0 ? Radix * column + w * block : pitch * block + w * column;
        store_split<V>(blocks + 2 * place, {re[l], im[l]});
      }
    }
  }
}

/// The only stage over j2 of all k1, where these fill no vector: each store overwrites what the one
/// before it wrote too much.  in: [j2] split;  out: [k2][k1] pairs, `n_k1` of them
template <int Radix, bool Swapped, class V>
[[gnu::flatten, gnu::noinline]] void last_of_few(const typename V::Real* in, typename V::Real* out,
                                                 size_t n_k1, typename V::Real scale) {
  constexpr size_t w = V::width;
  const V factor{scale - typename V::vector{}};
  lanes<V> x[Radix];
  WINGBEAT_UNROLL
  for (int r = 0; r < Radix; ++r) x[r] = load_split<V>(in + 2 * w * r);
  butterfly(x);
  WINGBEAT_UNROLL
  for (int k = 0; k < Radix; ++k) {
    const lanes<V> bins = device::scaled(x[k], factor);
    if ((Radix - k) * n_k1 >= w) {
      store_placed<Swapped, V>(out + 2 * n_k1 * k, bins);
    } else {
      store_first_placed<Swapped, V>(out + 2 * n_k1 * k, bins, n_k1);
    }
  }
}

/// The stages over j2 of `n_q` vectors of k1.  block: [j2][q] split, overwritten;  scratch: twice
/// that, if the stages are more than one
template <bool Swapped, class V>
WINGBEAT_LANES void transform_transposed(const chain& factors, size_t b, size_t n_q,
                                         const typename V::Real* roots, typename V::Real* block,
                                         typename V::Real* out, typename V::Real scale,
                                         typename V::Real* scratch) {
  constexpr size_t w = V::width;
  const auto a = static_cast<size_t>(factors.stages[0].radix);
  const int tail = factors.stages[factors.n_stages - 1].radix;
  if (a < w && factors.n_stages == 2) {
    return with_mixed_radix(tail, [&](auto r) {
      // B is the radix here, and at least the width: of smaller ones there is no code.
      if constexpr (decltype(r)::value >= V::width) {
        last_of_few<decltype(r)::value, Swapped, V>(block, out, a, scale);
      }
    });
  }
  const auto* stages = block;
  if (factors.n_stages > 2) {  // a call costs as much as a short stage
    stages = run_middle<V>(factors, roots, block, scratch, block, n_q, 1);
  }
  auto* const bins = a >= w ? out : scratch + 2 * w * b;
  const size_t pitch = n_q > 1 || a < w ? w : a;
  with_mixed_radix(tail, [&](auto r) {
    last<decltype(r)::value, Swapped, V>(stages, bins, pitch, unsigned(b) / tail * n_q, scale);
  });
  if (a < w) store_few_lanes<V>(bins, a, b, out);
}

template <bool Swapped, class V>
void transform_rows(const chain& factors, const typename V::Real* roots,
                    const rows<typename V::Real>& work, typename V::Real* scratch) {
  constexpr size_t w = V::width;
  const auto a = static_cast<size_t>(factors.stages[0].radix);
  size_t b = 1;  // a product takes less time than a quotient
  for (int i = 1; i < factors.n_stages; ++i) b *= factors.stages[i].radix;
  const bool is_whole = a % w == 0;
  const size_t n_tiles = is_whole ? 1 : (a + w - 1) / w, n_q = is_whole ? a / w : 1;
  for (size_t row = 0; row < work.count; ++row) {
    const auto* const in = work.in + work.in_pitch * row;
    auto* const out = work.out + work.out_pitch * row;
    with_mixed_radix(factors.stages[0].radix, [&](auto r) {
      first_transposed<decltype(r)::value, Swapped, V>(in, b, scratch, w * b,
                                                       roots + factors.stages[0].roots);
    });
    for (size_t tile = 0; tile < n_tiles; ++tile) {
      transform_transposed<Swapped, V>(factors, b, n_q, roots, scratch + 2 * w * b * tile,
                                       out + 2 * first_of_tile(tile, w, a), work.scale,
                                       scratch + 2 * w * b * n_q * n_tiles);
    }
  }
}

/// kernels::transposed: for the widest vectors, and for vectors of a half and a quarter of their
/// width.
template <class Real>
rows_kernel<Real> transposed(int width, bool is_swapped) {
  return with_width<Real>(width, [&](auto vector) -> rows_kernel<Real> {
    using V = decltype(vector);
    return is_swapped ? transform_rows<true, V> : transform_rows<false, V>;
  });
}

}  // namespace wingbeat::backend::host::WINGBEAT_HOST_ISA
