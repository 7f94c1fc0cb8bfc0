// SPDX-License-Identifier: Apache-2.0
// Real transforms of length 2 H through complex ones of length H, by the formulas of
// device/real.hpp, with vectors of bins k and their mirror images H - k.
#pragma once

#include "backend/host/kernels.hpp"     // mirror
#include "backend/host/lanes/simd.hpp"  // simd
#include "wingbeat/device/real.hpp"     // separate, combine

namespace wingbeat::backend::host::WINGBEAT_HOST_ISA {

template <class V, int... I>
WINGBEAT_LANES V reversed(V a, indices<I...>) {
  return V{__builtin_shufflevector(a.v, a.v, (int{sizeof...(I)} - 1 - I)...)};
}
template <class V>
WINGBEAT_LANES lanes<V> reversed(lanes<V> z) {
  constexpr auto lane_indices = indices_below<V::width>{};
  return {reversed(z.re, lane_indices), reversed(z.im, lane_indices)};
}

/// Bins 0 and H, which are each their own mirror image.
template <bool Join, class Real>
void mirror_ends(const mirror<Real>& row) {
  Real* out = row.out;
  const Real re = row.in[0];
  if constexpr (Join) {
    const Real last = row.in[2 * row.half];
    out[0] = re + last;
    out[1] = re - last;
  } else {
    const Real im = row.in[1];
    out[0] = 2 * (re + im);
    out[1] = 0;
    out[2 * row.half] = 2 * (re - im);
    out[2 * row.half + 1] = 0;
  }
}

/// Computes vectors `begin` to `end` of bins k = 1 .. H/2, each with its mirror image. The last
/// vector and its image share bin H/2, for which both compute the same value. If bins are left
/// over, one more vector begins earlier: it is loaded before the others are stored, because outputs
/// may replace inputs, and stored last.
template <bool Join, class V>
[[gnu::flatten]] void mirror_pairs(const mirror<typename V::Real>& row) {
  constexpr size_t w = V::width;
  const lanes<V> lane = load_split<V>(row.lane);
  const auto image_of = [&](size_t k) { return 2 * (row.half - k - (w - 1)); };
  const auto near = [&](size_t k) { return load_pairs<false, V>(row.in + 2 * k); };
  const auto far = [&](size_t k) { return reversed(load_pairs<false, V>(row.in + image_of(k))); };
  const auto finish = [&](size_t v, size_t k, lanes<V> a, lanes<V> b) {
    const lanes<V> root = lane * broadcast<V>(row.first + 2 * v);
    const auto bins =
        Join ? device::real::combine(a, b, root) : device::real::separate(a, b, root, V{1.0});
    store_pairs<false, V>(row.out + 2 * k, bins.first);
    store_pairs<false, V>(row.out + image_of(k), reversed(bins.second));
  };
  const size_t n_whole = row.half / 2 / w, k_last = row.half / 2 + 1 - w;
  const bool has_last = row.end > n_whole;
  lanes<V> a{}, b{};
  if (has_last) a = near(k_last), b = far(k_last);
  for (size_t v = row.begin; v < row.end - has_last; ++v) {
    finish(v, 1 + v * w, near(1 + v * w), far(1 + v * w));
  }
  if (has_last) finish(n_whole, k_last, a, b);
}

/// kernels::split and kernels::join
template <bool Join, class Real>
void mirror_row(int width, const mirror<Real>& row) {
  if (row.begin == 0) mirror_ends<Join>(row);
  if (width == 1) return mirror_pairs<Join, simd<Real, 1>>(row);
  with_width<Real>(width, [&](auto vector) { mirror_pairs<Join, decltype(vector)>(row); });
}

}  // namespace wingbeat::backend::host::WINGBEAT_HOST_ISA
