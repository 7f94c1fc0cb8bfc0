// SPDX-License-Identifier: Apache-2.0
// Chains of Stockham stages, and whole transforms of rows by them.
#pragma once

#include "backend/host/kernels.hpp"            // chain, rows
#include "backend/host/lanes/prime_stage.hpp"  // middle_of_prime
#include "backend/host/lanes/stage.hpp"        // first_in_row, middle, last

namespace wingbeat::backend::host::WINGBEAT_HOST_ISA {

/// Calls `run` with the radix as a constant: 1 to 16.
template <class Run>
WINGBEAT_LANES void with_mixed_radix(int radix, Run run) {
  switch (radix) {
    case 1: return run(constant<1>{});
    case 2: return run(constant<2>{});
    case 3: return run(constant<3>{});
    case 4: return run(constant<4>{});
    case 5: return run(constant<5>{});
    case 6: return run(constant<6>{});
    case 7: return run(constant<7>{});
    case 8: return run(constant<8>{});
    case 9: return run(constant<9>{});
    case 10: return run(constant<10>{});
    case 11: return run(constant<11>{});
    case 12: return run(constant<12>{});
    case 13: return run(constant<13>{});
    case 14: return run(constant<14>{});
    case 15: return run(constant<15>{});
    default: return run(constant<16>{});
  }
}

/// The same, in narrower vectors than the widest of powers of two alone.
template <class V, class Run>
WINGBEAT_LANES void with_radix(int radix, Run run) {
  if constexpr (V::width == widest<typename V::Real>::width) return with_mixed_radix(radix, run);
  switch (radix) {
    case 2: return run(constant<2>{});
    case 4: return run(constant<4>{});
    case 8: return run(constant<8>{});
    default: return run(constant<16>{});
  }
}

/// Runs the stages from `begin` to the last but one, which write to `out` and to `other` in turn,
/// and returns where the output of these lies: `in` if there are none.
template <class V>
const typename V::Real* run_middle(const chain& factors, const typename V::Real* roots,
                                   const typename V::Real* in, typename V::Real* out,
                                   typename V::Real* other, size_t n_q, int begin) {
  size_t done = 1;
  for (int i = 0; i < begin; ++i) done *= factors.stages[i].radix;
  for (int i = begin; i + 1 < factors.n_stages; ++i) {
    const int radix = factors.stages[i].radix;
    const size_t n_p = factors.length / (done * radix);
    const auto* const own_roots = roots + factors.stages[i].roots;
    if (radix > largest_butterfly) {
      middle_of_prime<V>(radix, in, out, own_roots, n_p, n_q);
    } else {
      with_mixed_radix(
          radix, [&](auto r) { middle<decltype(r)::value, V>(in, out, own_roots, n_p, n_q); });
    }
    done *= radix;
    n_q *= radix;
    auto* const written = out;
    in = written;
    out = other;
    other = written;
  }
  return in;
}

template <bool Swapped, class V>
void transform_rows(const chain& factors, const typename V::Real* roots,
                    const rows<typename V::Real>& work, typename V::Real* scratch) {
  using Real = typename V::Real;
  const size_t n = factors.length;
  const stage& head = factors.stages[0];
  const int tail = factors.stages[factors.n_stages - 1].radix;
  const Real* in = work.in;
  Real* out = work.out;
  for (size_t row = 0; row < work.count; ++row) {
    with_radix<V>(head.radix, [&](auto r) {
      if constexpr (decltype(r)::value % V::width == 0) {
        first_in_row<decltype(r)::value, Swapped, V>(in, scratch, roots + head.roots,
                                                     n / head.radix);
      }
    });
    const Real* const stages =
        run_middle<V>(factors, roots, scratch, scratch + 2 * n, scratch, head.radix / V::width, 1);
    with_radix<V>(tail, [&](auto r) {
      last<decltype(r)::value, Swapped, V>(stages, out, V::width, n / tail / V::width, work.scale);
    });
    in += 2 * work.in_pitch;
    out += 2 * work.out_pitch;
  }
}

/// kernels::stockham: the widest vectors, a half and a quarter of them.
template <class Real>
rows_kernel<Real> stockham(int width, bool is_swapped) {
  return with_width<Real>(width, [&](auto vector) -> rows_kernel<Real> {
    using V = decltype(vector);
    return is_swapped ? transform_rows<true, V> : transform_rows<false, V>;
  });
}

}  // namespace wingbeat::backend::host::WINGBEAT_HOST_ISA
