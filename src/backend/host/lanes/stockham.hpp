// SPDX-License-Identifier: Apache-2.0
// Chains of Stockham stages: those between the first one and the last.
#pragma once

#include "backend/host/kernels.hpp"            // chain
#include "backend/host/lanes/prime_stage.hpp"  // middle_of_prime
#include "backend/host/lanes/stage.hpp"        // middle

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

}  // namespace wingbeat::backend::host::WINGBEAT_HOST_ISA
