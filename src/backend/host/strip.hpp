// SPDX-License-Identifier: Apache-2.0
// Columns of a matrix, each lane one of them: no transposition, and roots that all lanes share.
#pragma once

#include "backend/host/kernels.hpp"   // chain, strip
#include "backend/host/stage.hpp"     // butterfly, turn_alike, last
#include "backend/host/stockham.hpp"  // with_radix, run_middle

namespace wingbeat::backend::host::WINGBEAT_HOST_ISA {

/// First stage.  in: [r][p] rows of `width` pairs, `in_pitch` numbers apart;  out: [p][k] split;
/// roots: [p][k - 1]
template <int Radix, bool Swapped, class V>
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
    turn_alike(x, roots);
    WINGBEAT_UNROLL
    for (int k = 0; k < Radix; ++k) store_split<V>(out + block * (Radix * p + k), x[k]);
    roots += 2 * (Radix - 1);
  }
}

/// The only stage of a strip of `Radix` rows.
template <int Radix, bool Swapped, class V>
[[gnu::flatten, gnu::noinline]] void whole_strip(const strip<typename V::Real>& what) {
  const V factor{what.scale - typename V::vector{}};
  lanes<V> x[Radix];
  WINGBEAT_UNROLL
  for (int r = 0; r < Radix; ++r) {
    x[r] = load_placed<Swapped, V>(what.in + 2 * what.in_pitch * r);
  }
  butterfly(x);
  WINGBEAT_UNROLL
  for (int k = 0; k < Radix; ++k) {
    store_placed<Swapped, V>(what.out + 2 * what.out_pitch * k, device::scaled(x[k], factor));
  }
}

template <bool Swapped, class V>
void transform_strip(const chain& how, const typename V::Real* roots,
                     const strip<typename V::Real>& what) {
  const size_t n = how.length;
  const stage& head = how.stages[0];
  if (how.n_stages == 1) {
    return with_radix(head.radix,
                      [&](auto r) { whole_strip<decltype(r)::value, Swapped, V>(what); });
  }
  const int tail = how.stages[how.n_stages - 1].radix;
  with_radix(head.radix, [&](auto r) {
    first_of_strip<decltype(r)::value, Swapped, V>(what.in, what.in_pitch, what.scratch,
                                                   roots + head.roots, n / head.radix);
  });
  const typename V::Real* turned =
      run_middle<V>(how, roots, what.scratch, what.scratch + 2 * V::width * n, head.radix, 1);
  with_radix(tail, [&](auto r) {
    last<decltype(r)::value, Swapped, V>(turned, what.out, what.out_pitch, n / tail, what.scale);
  });
}

template <class V>
void strip_of_width(const chain& how, const typename V::Real* roots,
                    const strip<typename V::Real>& what) {
  if (what.is_swapped) return transform_strip<true, V>(how, roots, what);
  transform_strip<false, V>(how, roots, what);
}

/// kernels::strip_of
template <class Real, int Width>
void strip_of(int width, const chain& how, const Real* roots, const strip<Real>& what) {
  if (width == Width) return strip_of_width<simd<Real, Width>>(how, roots, what);
  if constexpr (Width * sizeof(Real) > 16) {
    if (2 * width == Width) return strip_of_width<simd<Real, Width / 2>>(how, roots, what);
  }
  if constexpr (Width * sizeof(Real) > 32) {
    if (4 * width == Width) return strip_of_width<simd<Real, Width / 4>>(how, roots, what);
  }
}

}  // namespace wingbeat::backend::host::WINGBEAT_HOST_ISA
