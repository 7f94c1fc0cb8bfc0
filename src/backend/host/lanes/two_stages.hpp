// SPDX-License-Identifier: Apache-2.0
// One row of A B points in two stages without a loop or a call between them: j = j1 B + j2, k = k1
// + A k2. A-point DFTs, each lane another j2; a transposition; B-point DFTs, each lane another k1.
// The last vector begins earlier where lanes would be unused.
#pragma once

#include "backend/host/kernels.hpp"      // single_row, first_of_tile, place_of, two_stages_of
#include "backend/host/lanes/simd.hpp"   // simd, transpose
#include "backend/host/lanes/stage.hpp"  // butterfly

namespace wingbeat::backend::host::WINGBEAT_HOST_ISA {

/// Transposes vectors of j2, from `first` on, of A outputs k1.  block: [tile of k1][j2]
template <int A, int Tiles, int Columns, class V>
WINGBEAT_LANES void transpose_columns(const lanes<V> (&x)[A], size_t first,
                                      lanes<V> (&block)[Tiles][Columns]) {
  constexpr int w = V::width;
  WINGBEAT_UNROLL
  for (int tile = 0; tile < Tiles; ++tile) {
    V re[w], im[w];
    transpose_outputs(x, first_of_tile(tile, w, A), re, im);
    WINGBEAT_UNROLL
    for (int l = 0; l < w; ++l) {
      block[tile][first + place_of<typename V::Real>(l, w)] = {re[l], im[l]};
    }
  }
}

/// B is at least the width.  roots: of the first stage, w^(k1 j2) as
/// [tile of j2][k1 - 1][re, im][lane]
template <int A, int B, bool Swapped, class V>
[[gnu::flatten]] void two_stage_row(const void* row, const std::byte* in_bytes,
                                    std::byte* out_bytes) {
  using Real = typename V::Real;
  constexpr int w = V::width, a_tiles = (A + w - 1) / w, b_tiles = (B + w - 1) / w;
  const auto& given = *static_cast<const single_row<Real>*>(row);
  const auto* const in = reinterpret_cast<const Real*>(in_bytes);
  auto* const out = reinterpret_cast<Real*>(out_bytes);
  lanes<V> block[a_tiles][B];
  WINGBEAT_UNROLL
  for (int tile = 0; tile < b_tiles; ++tile) {
    const size_t first = first_of_tile(tile, w, B);
    const Real* const roots = given.roots + 2 * w * (A - 1) * tile;
    lanes<V> x[A];
    WINGBEAT_UNROLL
    for (int r = 0; r < A; ++r) x[r] = load_placed<Swapped, V>(in + 2 * (first + r * B));
    butterfly(x);
    WINGBEAT_UNROLL
    for (int k = 1; k < A; ++k) x[k] = x[k] * load_split<V>(roots + 2 * w * (k - 1));
    transpose_columns(x, first, block);
  }
  const V factor{given.scale - typename V::vector{}};
  WINGBEAT_UNROLL
  for (int tile = 0; tile < a_tiles; ++tile) {
    butterfly(block[tile]);
    WINGBEAT_UNROLL
    for (int k = 0; k < B; ++k) {
      const lanes<V> bins = device::scaled(block[tile][k], factor);
      auto* const place = out + 2 * (first_of_tile(tile, w, A) + A * k);
      if ((B - k) * A >= w) {  // the next store overwrites lanes that are too many
        store_placed<Swapped, V>(place, bins);
      } else {
        store_first_placed<Swapped, V>(place, bins, A);
      }
    }
  }
}

/// Returns the kernel that two_stages_of() describes, or null.
template <int N, class Real, int Width>
single_kernel two_stage_kernel(bool is_swapped) {
  constexpr two_stages shape = two_stages_of(N, sizeof(Real), Width);
  if constexpr (shape.radix > 0) {
    using V = simd<Real, shape.width>;
    return is_swapped ? two_stage_row<shape.radix, N / shape.radix, true, V>
                      : two_stage_row<shape.radix, N / shape.radix, false, V>;
  }
  return nullptr;
}

}  // namespace wingbeat::backend::host::WINGBEAT_HOST_ISA
