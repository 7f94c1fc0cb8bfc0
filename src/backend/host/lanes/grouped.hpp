// SPDX-License-Identifier: Apache-2.0
// Lengths 16, 32 and 64 in registers: two Stockham stages of one or two rows, each row in a group
// of 4 or 8 lanes. N = R G:  lanes hold p, R-point butterflies, transpose, G-point butterflies.
#pragma once

#include "backend/host/kernels.hpp"      // rows
#include "backend/host/lanes/simd.hpp"   // simd, transpose
#include "backend/host/lanes/stage.hpp"  // butterfly

namespace wingbeat::backend::host::WINGBEAT_HOST_ISA {

/// Multiplies outputs 1 .. R-1 by w^(pk).  roots: [k - 1][re, im][row][p], two rows
template <int Radix, int Group, class V>
WINGBEAT_LANES void turn_grouped(lanes<V> (&x)[Radix], const typename V::Real* roots) {
  WINGBEAT_UNROLL
  for (int k = 1; k < Radix; ++k) {
    const typename V::Real* const root = roots + 4 * Group * (k - 1);
    x[k] = x[k] * lanes<V>{load<V>(root), load<V>(root + 2 * Group)};
  }
}

/// Transforms the rows at `in`, as many as groups fit a vector; each pitch counts reals.
template <int Radix, int Group, bool Swapped, class V>
[[gnu::flatten]] inline void grouped_tile(const typename V::Real* in, size_t in_pitch,
                                          typename V::Real* out, size_t out_pitch,
                                          const typename V::Real* roots, typename V::Real scale) {
  constexpr bool is_pair = V::width == 2 * Group;
  const size_t in_second = is_pair ? in_pitch : V::width;
  const size_t out_second = is_pair ? out_pitch : V::width;
  lanes<V> x[Radix];
  WINGBEAT_UNROLL
  for (int r = 0; r < Radix; ++r) x[r] = load_pairs<Swapped, V>(in + 2 * Group * r, in_second);
  butterfly(x);
  turn_grouped<Radix, Group, V>(x, roots);
  const V factor{scale - typename V::vector{}};
  WINGBEAT_UNROLL
  for (int block = 0; block < Radix; block += Group) {
    V re[Group], im[Group];
    WINGBEAT_UNROLL
    for (int i = 0; i < Group; ++i) {
      re[i] = x[block + i].re;
      im[i] = x[block + i].im;
    }
    transpose<Group>(re);
    transpose<Group>(im);
    lanes<V> y[Group];
    WINGBEAT_UNROLL
    for (int i = 0; i < Group; ++i) y[i] = {re[i], im[i]};
    butterfly(y);
    WINGBEAT_UNROLL
    for (int k = 0; k < Group; ++k) {
      store_pairs<Swapped, V>(out + 2 * (block + Radix * k), device::scaled(y[k], factor),
                              out_second);
    }
  }
}

template <int Radix, int Group, bool Swapped, class V>
void grouped_rows(const rows<typename V::Real>& work, const typename V::Real* roots, size_t row) {
  constexpr size_t n = V::width / Group;
  for (; work.count - row >= n; row += n) {
    grouped_tile<Radix, Group, Swapped, V>(work.in + 2 * work.in_pitch * row, 2 * work.in_pitch,
                                           work.out + 2 * work.out_pitch * row, 2 * work.out_pitch,
                                           roots, work.scale);
  }
  if constexpr (n > 1) {
    using narrower = simd<typename V::Real, V::width / 2>;
    if (row < work.count) grouped_rows<Radix, Group, Swapped, narrower>(work, roots, row);
  }
}

template <int Radix, int Group, bool Swapped, class Real, int Width>
void grouped_of_length(const chain&, const Real* roots, const rows<Real>& work, Real*) {
  using V = simd<Real, (Width < 2 * Group ? Width : 2 * Group)>;
  grouped_rows<Radix, Group, Swapped, V>(work, roots, 0);
}

template <int Radix, int Group, class Real, int Width>
rows_kernel<Real> grouped_kernel(bool is_swapped) {
  if constexpr (Group <= Width) {
    return is_swapped ? grouped_of_length<Radix, Group, true, Real, Width>
                      : grouped_of_length<Radix, Group, false, Real, Width>;
  }
  return nullptr;
}

/// kernels::grouped
template <class Real, int Width>
rows_kernel<Real> grouped(size_t length, bool is_swapped) {
  switch (length) {
    case 16: return grouped_kernel<4, 4, Real, Width>(is_swapped);
    case 32: return grouped_kernel<8, 4, Real, Width>(is_swapped);
    default: return grouped_kernel<8, 8, Real, Width>(is_swapped);
  }
}

}  // namespace wingbeat::backend::host::WINGBEAT_HOST_ISA
