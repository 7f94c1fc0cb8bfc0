// SPDX-License-Identifier: Apache-2.0
// Rows of 16, 32 and 64 points in registers, two at once, each in a group of 4 or 8 lanes: the two
// stages of two_stages.hpp.  N = R G:  lanes hold p, R-point DFTs, transposed, G-point DFTs.
#pragma once

#include "backend/host/kernels.hpp"           // rows, single_kernel
#include "backend/host/lanes/simd.hpp"        // simd, transpose
#include "backend/host/lanes/stage.hpp"       // butterfly
#include "backend/host/lanes/two_stages.hpp"  // two_stage_row

namespace wingbeat::backend::host::WINGBEAT_HOST_ISA {

/// Transforms two rows; pitches count reals.  roots: w^(pk) as [k - 1][re, im][row][p]
template <int Radix, int Group, bool Swapped, class V>
[[gnu::flatten]] inline void row_pair(const rows<typename V::Real>& work,
                                      const typename V::Real* in, typename V::Real* out,
                                      const typename V::Real* roots) {
  lanes<V> x[Radix];
  WINGBEAT_UNROLL
  for (int r = 0; r < Radix; ++r) x[r] = load_pairs<Swapped, V>(in + 2 * Group * r, work.in_pitch);
  butterfly(x);
  WINGBEAT_UNROLL
  for (int k = 1; k < Radix; ++k) x[k] = x[k] * load_split<V>(roots + 4 * Group * (k - 1));
  const V factor{work.scale - typename V::vector{}};
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
                              work.out_pitch);
    }
  }
}

/// Transforms two rows at a time, and the last of an odd number alone. The roots of one row follow
/// those of two.
template <int Radix, int Group, bool Swapped, class Real, int Width>
void row_pairs(const chain&, const Real* roots, const rows<Real>& work, Real*) {
  const Real* in = work.in;
  Real* out = work.out;
  size_t left = work.count;
  if constexpr (2 * Group <= Width) {
    for (; left > 1; left -= 2, in += 2 * work.in_pitch, out += 2 * work.out_pitch) {
      row_pair<Radix, Group, Swapped, simd<Real, 2 * Group>>(work, in, out, roots);
    }
  }
  const single_row<Real> of_single{roots + 4 * Group * (Radix - 1), work.scale, Radix * Group};
  for (; left > 0; --left, in += work.in_pitch, out += work.out_pitch) {
    two_stage_row<Radix, Group, Swapped, simd<Real, Group>>(
        &of_single, reinterpret_cast<const std::byte*>(in), reinterpret_cast<std::byte*>(out));
  }
}

}  // namespace wingbeat::backend::host::WINGBEAT_HOST_ISA
