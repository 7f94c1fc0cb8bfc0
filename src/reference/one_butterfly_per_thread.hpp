// SPDX-License-Identifier: Apache-2.0
// The simplest mapping to a GPU: N/2 threads, each of which does one butterfly per stage.
// With `span` = 1, 2, 4 .. N/2 and a barrier between stages:
//     home = 2 span (thread / span) + thread mod span
//     target = home + span
//     root = (N/2 / span) (thread mod span)
#pragma once

#include <complex>
#include <cstddef>  // size_t

#include "reference/bit_reversal.hpp"   // reverse_bits
#include "reference/mixed_radix.hpp"    // require_power_of_two
#include "reference/root_of_unity.hpp"  // row

namespace wingbeat::reference {

/// The two values that a thread combines in one stage, and the twiddle of the second.
struct butterfly {
  std::size_t home, target, root;
};

/// Returns the work of one of `n_threads` threads in the stage of `span`.
constexpr butterfly butterfly_of(std::size_t thread, std::size_t n_threads, std::size_t span) {
  const std::size_t place = thread % span;
  const std::size_t home = 2 * span * (thread / span) + place;
  return {home, home + span, n_threads / span * place};
}

/// Replaces x, a power of two long, by its DFT. `roots` holds w^0 .. w^(N/2-1), and their sign is
/// the direction. The inner loop stands for the threads: a stage's butterflies are independent.
/// Scale: none.  Cost: N/2 log2 N complex multiplications; log2 N steps with N/2 threads.
/// Throws `plan_error` for other lengths.
template <class Real>
void one_butterfly_per_thread(row<Real>& x, const row<Real>& roots) {
  const std::size_t n_threads = x.size() / 2;
  require_power_of_two(x.size(), "one_butterfly_per_thread");
  reverse_bits(x);
  for (std::size_t span = 1; span <= n_threads; span *= 2) {
    for (std::size_t thread = 0; thread < n_threads; ++thread) {
      const auto [home, target, root] = butterfly_of(thread, n_threads, span);
      const std::complex<Real> twiddled = x[target] * roots[root];
      x[target] = x[home] - twiddled;
      x[home] = x[home] + twiddled;
    }
    // A barrier stands here on a device.
  }
}

}  // namespace wingbeat::reference
