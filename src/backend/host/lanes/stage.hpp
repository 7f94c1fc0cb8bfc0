// SPDX-License-Identifier: Apache-2.0
// Stockham stages over SIMD lanes. One stage of radix R, where P R s = N, reads x[r][p][q] and
// writes y[p][k][q], the sub-length P R transformed over r:
//     y[p][k][q] = w_PR^(pk) sum_r x[r][p][q] w_R^(rk),   p < P,  q < s.
// The outputs are in natural order after the last stage (P = 1); no stage reorders.
// q is the fastest index, so a vector is `width` adjacent q and shares its roots. Only in the
// first stage is s = 1: there a vector is `width` adjacent p, or p of `width` columns, and the
// outputs of a butterfly are transposed in registers, which makes them s = R adjacent q.
#pragma once

#include "backend/host/kernels.hpp"        // place_of
#include "backend/host/lanes/simd.hpp"     // lanes, WINGBEAT_LANES
#include "wingbeat/device/direction.hpp"   // direction
#include "wingbeat/device/thread/dft.hpp"  // dft

namespace wingbeat::backend::host::WINGBEAT_HOST_ISA {

/// Replaces x by its forward DFT of 9 with separate twiddles: eight operations more than dft() of
/// 9, whose twiddles are part of its DFTs of 3, but a shorter chain of dependent ones.
template <class V>
WINGBEAT_LANES void butterfly_of_9(lanes<V> (&x)[9]) {
  constexpr auto forward = device::direction::forward;
  // w^1, w^2, w^4 of order 9
  const V re[] = {V{0.76604444311897803520}, V{0.17364817766693034885}, V{-0.93969262078590838405}};
  const V im[] = {V{-0.64278760968653932632}, V{-0.98480775301220805937},
                  V{-0.34202014332566873304}};
  lanes<V> row[3][3];
  device::thread::rows_of_3<forward, 9>(row, x);
  WINGBEAT_UNROLL
  for (int k = 1; k < 3; ++k) {
    lanes<V> column[3] = {row[0][k], row[1][k] * lanes<V>{re[k - 1], im[k - 1]},
                          row[2][k] * lanes<V>{re[k], im[k]}};
    device::thread::dft<forward>(column);
    WINGBEAT_UNROLL
    for (int m = 0; m < 3; ++m) x[k + 3 * m] = column[m];
  }
}

/// Replaces x by its forward DFT. For 12 points, DFTs of 3 come first, which spills fewer vectors.
template <int Radix, class V>
WINGBEAT_LANES void butterfly(lanes<V> (&x)[Radix]) {
  using device::direction;
  if constexpr (Radix == 1) {
    return;
  } else if constexpr (Radix == 9) {
    butterfly_of_9(x);
  } else if constexpr (Radix == 12) {
    device::thread::dft_of_coprime<direction::forward, 12, 3, 4>(x);
  } else {
    device::thread::dft<direction::forward>(x);
  }
}

/// Multiplies outputs 1 .. R-1 by roots that all lanes share.  roots: [k - 1][re, im]
template <int Radix, class V>
WINGBEAT_LANES void turn_alike(lanes<V> (&x)[Radix], const typename V::Real* roots) {
  WINGBEAT_UNROLL
  for (int k = 1; k < Radix; ++k) x[k] = x[k] * broadcast<V>(roots + 2 * (k - 1));
}

/// Exchanges lanes and outputs: re[l] and im[l] become outputs `first` to `first + width` of lane
/// place_of(l), and 0 beyond the last output.
template <int Radix, class V>
WINGBEAT_LANES void transpose_outputs(const lanes<V> (&x)[Radix], size_t first, V (&re)[V::width],
                                      V (&im)[V::width]) {
  constexpr int w = V::width;
  WINGBEAT_UNROLL
  for (int i = 0; i < w; ++i) {
    const size_t k = first + place_of<typename V::Real>(i, w);
    re[i] = k < Radix ? x[k].re : V{0.0};
    im[i] = k < Radix ? x[k].im : V{0.0};
  }
  transpose<w>(re);
  transpose<w>(im);
}

/// Stores R outputs of each lane as R adjacent numbers, those of place l at out + l pitch, in
/// blocks of `width` split numbers. R is a multiple of the width.
template <int Radix, class V>
WINGBEAT_LANES void store_transposed(typename V::Real* out, size_t pitch, lanes<V> (&x)[Radix]) {
  constexpr int w = V::width;
  static_assert(Radix % w == 0,
                "A transposed stage needs a radix that is a multiple of the width.");
  WINGBEAT_UNROLL
  for (int block = 0; block < Radix / w; ++block) {
    V re[w], im[w];
    transpose_outputs(x, block * w, re, im);
    WINGBEAT_UNROLL
    for (int l = 0; l < w; ++l) {
      const auto row = static_cast<size_t>(place_of<typename V::Real>(l, w));
      store_split<V>(out + row * pitch + 2 * w * block, {re[l], im[l]});
    }
  }
}

/// First stage of `width` columns.  in: [r][p][column] pairs, rows `in_pitch` numbers apart;
/// out: [column][p][k] split, columns `out_pitch` numbers apart;  roots: [p][k - 1]
template <int Radix, bool Swapped, class V>
[[gnu::flatten, gnu::noinline]] void first_in_columns(const typename V::Real* in, size_t in_pitch,
                                                      typename V::Real* out, size_t out_pitch,
                                                      const typename V::Real* roots, size_t n_p) {
  for (size_t p = 0; p < n_p; ++p) {
    lanes<V> x[Radix];
    WINGBEAT_UNROLL
    for (int r = 0; r < Radix; ++r) {
      x[r] = load_placed<Swapped, V>(in + 2 * in_pitch * (p + r * n_p));
    }
    butterfly(x);
    turn_alike(x, roots + 2 * (Radix - 1) * p);
    store_transposed(out + 2 * Radix * p, 2 * out_pitch, x);
  }
}

/// First stage of a strip, a column in each lane.  in: [r][p] rows of `width` pairs, `in_pitch`
/// numbers apart;  out: [p][k] split;  roots: [p][k - 1], none where this stage is the only one
template <int Radix, bool IsOnly, bool Swapped, class V>
[[gnu::flatten, gnu::noinline]] void first_of_strip(const typename V::Real* in, size_t in_pitch,
                                                    typename V::Real* out,
                                                    const typename V::Real* roots, size_t n_p) {
  constexpr size_t block = 2 * V::width;
  for (size_t p = 0; p < n_p; ++p) {
    lanes<V> x[Radix];
    WINGBEAT_UNROLL
    for (int r = 0; r < Radix; ++r) {
      x[r] = load_placed<Swapped, V>(in + 2 * in_pitch * (p + r * n_p));
    }
    butterfly(x);
    if constexpr (!IsOnly) turn_alike(x, roots);
    WINGBEAT_UNROLL
    for (int k = 0; k < Radix; ++k) store_split<V>(out + block * (Radix * p + k), x[k]);
    if constexpr (!IsOnly) roots += 2 * (Radix - 1);
  }
}

/// A stage between split blocks.  in: [r][p][q];  out: [p][k][q];  roots: [p][k - 1];
/// q counts `n_q` vectors.
template <int Radix, class V>
[[gnu::flatten, gnu::noinline]] void middle(const typename V::Real* in, typename V::Real* out,
                                            const typename V::Real* roots, size_t n_p, size_t n_q) {
  constexpr size_t block = 2 * V::width;
  for (size_t p = 0; p < n_p; ++p) {
    for (size_t q = 0; q < n_q; ++q) {
      lanes<V> x[Radix];
      WINGBEAT_UNROLL
      for (int r = 0; r < Radix; ++r) x[r] = load_split<V>(in + block * (q + n_q * (p + r * n_p)));
      butterfly(x);
      turn_alike(x, roots);
      WINGBEAT_UNROLL
      for (int k = 0; k < Radix; ++k)
        store_split<V>(out + block * (q + n_q * (Radix * p + k)), x[k]);
    }
    roots += 2 * (Radix - 1);
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

/// The last stage.  in: [r][q] split;  out: [k][q] pairs, vectors `out_pitch` numbers apart.
template <int Radix, bool Swapped, class V>
[[gnu::flatten, gnu::noinline]] void last(const typename V::Real* in, typename V::Real* out,
                                          size_t out_pitch, size_t n_q, typename V::Real scale) {
  constexpr size_t block = 2 * V::width;
  const V factor{scale - typename V::vector{}};
  for (size_t q = 0; q < n_q; ++q) {
    lanes<V> x[Radix];
    WINGBEAT_UNROLL
    for (int r = 0; r < Radix; ++r) x[r] = load_split<V>(in + block * (q + r * n_q));
    butterfly(x);
    WINGBEAT_UNROLL
    for (int k = 0; k < Radix; ++k) {
      store_placed<Swapped, V>(out + 2 * out_pitch * (q + k * n_q), device::scaled(x[k], factor));
    }
  }
}

/// The last stage of column j2 of a matrix, times the step root w_N^(j2 k1).
/// in: [r][q] split;  out: [k][q] split, vectors `out_pitch` numbers apart.
/// Each root is one product: `lane` w^(j2 l) times first[q][k] = w^(j2 k1 of lane 0).
template <int Radix, class V>
[[gnu::flatten, gnu::noinline]] void last_in_column(const typename V::Real* in,
                                                    typename V::Real* out, size_t out_pitch,
                                                    const typename V::Real* lane,
                                                    const typename V::Real* first, size_t n_q) {
  constexpr size_t block = 2 * V::width;
  const lanes<V> lane_root = load_split<V>(lane);
  for (size_t q = 0; q < n_q; ++q) {
    lanes<V> x[Radix];
    WINGBEAT_UNROLL
    for (int r = 0; r < Radix; ++r) x[r] = load_split<V>(in + block * (q + r * n_q));
    butterfly(x);
    WINGBEAT_UNROLL
    for (int k = 0; k < Radix; ++k) {
      const lanes<V> root = lane_root * broadcast<V>(first + 2 * (q * Radix + k));
      store_split<V>(out + 2 * out_pitch * (q + k * n_q), x[k] * root);
    }
  }
}

}  // namespace wingbeat::backend::host::WINGBEAT_HOST_ISA
