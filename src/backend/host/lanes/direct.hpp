// SPDX-License-Identifier: Apache-2.0
// One row of few points, N may be a prime, by the definition of the DFT. A lane computes bins k and
// N - k, k <= N/2. For even N, input N/2 is its own mirror image, so its cosines are halved.
#pragma once

#include "backend/host/kernels.hpp"            // chain, rows, single_row, first_of_tile
#include "backend/host/lanes/folded_sums.hpp"  // sum_folded, sum_in_blocks
#include "backend/host/lanes/mirror.hpp"       // reversed
#include "backend/host/lanes/simd.hpp"         // lanes, broadcast

namespace wingbeat::backend::host::WINGBEAT_HOST_ISA {

/// x[j] + x[N-j] and x[j] - x[N-j], j from 1 on.  [j - 1][re, im]
template <class Real>
struct folded_row {
  static constexpr size_t most = longest_direct / 2 + 8;
  Real sums[2 * most];
  Real differences[2 * most];
};

template <class V, int... I>
WINGBEAT_LANES V reversed_numbers(V a, indices<I...>) {
  return V{__builtin_shufflevector(a.v, a.v, (int{sizeof...(I)} - 2 - I / 2 * 2 + I % 2)...)};
}

/// Folds half a vector of numbers at a time. The last half vector begins earlier where it would
/// reach beyond the row.
template <class V>
WINGBEAT_LANES void fold(const typename V::Real* in, size_t n, folded_row<typename V::Real>& row) {
  constexpr size_t side = V::width / 2;
  constexpr auto lane_indices = indices_below<V::width>{};
  for (size_t tile = 0; tile * side < n / 2; ++tile) {
    const size_t j = first_of_tile(tile, side, n / 2);
    const V near = load<V>(in + 2 * (1 + j));
    const V far = reversed_numbers(load<V>(in + 2 * (n - j - side)), lane_indices);
    store(row.sums + 2 * j, near + far);
    store(row.differences + 2 * j, near - far);
  }
}

/// Returns one complex number in every lane, its parts exchanged for an inverse transform.
template <bool Swapped, class V>
WINGBEAT_LANES lanes<V> broadcast_swapped(const typename V::Real* number) {
  const lanes<V> z = broadcast<V>(number);
  if constexpr (Swapped) return {z.im, z.re};
  return z;
}

/// Bins 1 + first[t] + lane of `Tiles` vectors and their mirror images.
/// roots: [j - 1][tile of k][cosines, sines][lane], `pitch` numbers from one j to the next
template <int Tiles, bool Swapped, class V>
WINGBEAT_LANES void direct_tiles(const folded_row<typename V::Real>& row, lanes<V> zeroth, size_t n,
                                 const size_t (&first)[Tiles], const typename V::Real* roots,
                                 size_t pitch, typename V::Real* out, V factor) {
  constexpr size_t w = V::width;
  folded_bin<V> bins[Tiles];
  sum_folded(
      zeroth, n / 2, [&](size_t j) { return broadcast_swapped<Swapped, V>(row.sums + 2 * j); },
      [&](size_t j) { return broadcast_swapped<Swapped, V>(row.differences + 2 * j); },
      [&](size_t j, int t) { return load_split<V>(roots + pitch * j + 2 * w * t); }, bins);
  WINGBEAT_UNROLL
  for (int t = 0; t < Tiles; ++t) {
    const lanes<V> near = device::scaled(bins[t].near(), factor);
    const lanes<V> far = device::scaled(bins[t].far(), factor);
    store_placed<Swapped, V>(out + 2 * (1 + first[t]), near);
    store_placed<Swapped, V>(out + 2 * (n - first[t] - w), reversed(far));
  }
}

/// Transforms a row of N points, at least twice the width.
template <bool Swapped, class V>
WINGBEAT_LANES void direct_row(size_t n, const typename V::Real* in, typename V::Real* out,
                               const typename V::Real* roots, typename V::Real scale) {
  using Real = typename V::Real;
  constexpr size_t w = V::width;
  folded_row<Real> row;
  fold<V>(in, n, row);
  const lanes<V> zeroth = broadcast_swapped<Swapped, V>(in);
  using number = simd<Real, 2>;
  number total = sum_in_blocks(load<number>(in), (n - 1) / 2,
                               [&](size_t j) { return load<number>(row.sums + 2 * j); });
  if (n % 2 == 0) total = total + load<number>(in + n);
  const V factor{scale - typename V::vector{}};
  const size_t h = n / 2, n_tiles = (h + w - 1) / w, pitch = 2 * w * n_tiles;
  size_t tile = 0;
  for (; tile + 2 <= n_tiles; tile += 2) {
    const size_t first[] = {first_of_tile(tile, w, h), first_of_tile(tile + 1, w, h)};
    direct_tiles<2, Swapped>(row, zeroth, n, first, roots + 2 * w * tile, pitch, out, factor);
  }
  if (tile < n_tiles) {
    const size_t first[] = {first_of_tile(tile, w, h)};
    direct_tiles<1, Swapped>(row, zeroth, n, first, roots + 2 * w * tile, pitch, out, factor);
  }
  store(out, number{total.v * scale});
}

template <bool Swapped, class V>
[[gnu::flatten]] void single_direct_row(const void* row, const std::byte* in, std::byte* out) {
  using Real = typename V::Real;
  const auto& given = *static_cast<const single_row<Real>*>(row);
  direct_row<Swapped, V>(given.length, reinterpret_cast<const Real*>(in),
                         reinterpret_cast<Real*>(out), given.roots, given.scale);
}

/// kernels::direct: for the widest vectors, and for vectors of a half and a quarter of their width.
template <class Real>
single_kernel direct(int width, bool is_swapped) {
  return with_width<Real>(width, [&](auto vector) -> single_kernel {
    using V = decltype(vector);
    return is_swapped ? single_direct_row<true, V> : single_direct_row<false, V>;
  });
}

}  // namespace wingbeat::backend::host::WINGBEAT_HOST_ISA
