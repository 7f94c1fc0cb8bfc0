// SPDX-License-Identifier: Apache-2.0
// Columns of a matrix, each lane one of them: no transposition, and roots that all lanes share.
#pragma once

#include "backend/host/kernels.hpp"         // chain, strip
#include "backend/host/lanes/stage.hpp"     // butterfly, first_of_strip
#include "backend/host/lanes/stockham.hpp"  // with_radix, run_middle

namespace wingbeat::backend::host::WINGBEAT_HOST_ISA {

/// Runs all stages of a strip but the last and returns where their output lies: in the first strip
/// of `scratch`, or in the second.
template <bool Swapped, class V>
const typename V::Real* run_all_but_last(const chain& factors, const typename V::Real* roots,
                                         const typename V::Real* in, size_t in_pitch,
                                         typename V::Real* scratch) {
  const stage& head = factors.stages[0];
  const size_t n = factors.length;
  with_radix<V>(head.radix, [&](auto r) {
    first_of_strip<decltype(r)::value, false, Swapped, V>(in, in_pitch, scratch, roots + head.roots,
                                                          n / head.radix);
  });
  return run_middle<V>(factors, roots, scratch, scratch + 2 * V::width * n, scratch, head.radix, 1);
}

/// The only stage of a strip of `Radix` rows.
template <int Radix, bool Swapped, class V>
[[gnu::flatten, gnu::noinline]] void whole_strip(const strip<typename V::Real>& columns) {
  const V factor{columns.scale - typename V::vector{}};
  lanes<V> x[Radix];
  WINGBEAT_UNROLL
  for (int r = 0; r < Radix; ++r) {
    x[r] = load_placed<Swapped, V>(columns.in + 2 * columns.in_pitch * r);
  }
  butterfly(x);
  WINGBEAT_UNROLL
  for (int k = 0; k < Radix; ++k) {
    store_placed<Swapped, V>(columns.out + 2 * columns.out_pitch * k, device::scaled(x[k], factor));
  }
}

template <bool Swapped, class V>
void transform_strip(const chain& factors, const typename V::Real* roots,
                     const strip<typename V::Real>& columns) {
  if (factors.n_stages == 1) {
    return with_radix<V>(factors.stages[0].radix,
                         [&](auto r) { whole_strip<decltype(r)::value, Swapped, V>(columns); });
  }
  const auto* const stages =
      run_all_but_last<Swapped, V>(factors, roots, columns.in, columns.in_pitch, columns.scratch);
  const int tail = factors.stages[factors.n_stages - 1].radix;
  with_radix<V>(tail, [&](auto r) {
    last<decltype(r)::value, Swapped, V>(stages, columns.out, columns.out_pitch,
                                         factors.length / tail, columns.scale);
  });
}

/// kernels::strip_of
template <class Real>
void strip_of(int width, const chain& factors, const Real* roots, const strip<Real>& columns) {
  with_width<Real>(width, [&](auto vector) {
    using V = decltype(vector);
    if (columns.is_swapped) return transform_strip<true, V>(factors, roots, columns);
    transform_strip<false, V>(factors, roots, columns);
  });
}

/// Transforms `in`, which is overwritten, and returns where the bins lie: there or in `other`.
template <class V>
typename V::Real* transform_split(const chain& factors, const typename V::Real* roots,
                                  typename V::Real* in, typename V::Real* other) {
  const auto* const stages = run_middle<V>(factors, roots, in, other, in, 1, 0);
  auto* const bins = stages == in ? other : in;
  const int tail = factors.stages[factors.n_stages - 1].radix;
  with_radix<V>(tail, [&](auto r) {
    last_split<decltype(r)::value, V>(stages, bins, factors.length / tail);
  });
  return bins;
}

/// Multiplies columns by a chirp, transforms them, multiplies them by its spectrum, transforms them
/// back and multiplies them by the chirp.
template <bool Swapped, class V>
[[gnu::flatten, gnu::noinline]] void transform_chirped_strip(
    const chain& factors, const typename V::Real* roots, const convolved<typename V::Real>& chirp,
    const strip<typename V::Real>& columns) {
  constexpr size_t block = 2 * V::width;
  const size_t n = chirp.length, m = factors.length;
  auto* line = columns.scratch;
  auto* const other = line + block * m;
  for (size_t j = 0; j < n; ++j) {
    const lanes<V> z = load_placed<Swapped, V>(columns.in + 2 * columns.in_pitch * j);
    store_split<V>(line + block * j, z * broadcast<V>(chirp.factors + 2 * j));
  }
  const lanes<V> zero{V{0.0}, V{0.0}};
  for (size_t j = n; j < m; ++j) store_split<V>(line + block * j, zero);
  line = transform_split<V>(factors, roots, line, other);
  for (size_t k = 0; k < m; ++k) {
    const lanes<V> bin = load_split<V>(line + block * k) * broadcast<V>(chirp.spectrum + 2 * k);
    store_split<V>(line + block * k, lanes<V>{bin.im, bin.re});  // transformed back
  }
  line = transform_split<V>(factors, roots, line, line == other ? columns.scratch : other);
  const V factor{columns.scale - typename V::vector{}};
  for (size_t k = 0; k < n; ++k) {
    const lanes<V> z = load_split<V>(line + block * k);
    const lanes<V> bin = lanes<V>{z.im, z.re} * broadcast<V>(chirp.factors + 2 * k);
    store_placed<Swapped, V>(columns.out + 2 * columns.out_pitch * k, device::scaled(bin, factor));
  }
}

/// kernels::chirped_strip
template <class Real>
void chirped_strip(const chain& factors, const Real* roots, const convolved<Real>& chirp,
                   const strip<Real>& columns) {
  using V = widest<Real>;
  if (columns.is_swapped) return transform_chirped_strip<true, V>(factors, roots, chirp, columns);
  transform_chirped_strip<false, V>(factors, roots, chirp, columns);
}

}  // namespace wingbeat::backend::host::WINGBEAT_HOST_ISA
