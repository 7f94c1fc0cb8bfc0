// SPDX-License-Identifier: Apache-2.0
// Rounding, clamping and atomic updates, by any compiler: the host's tests say what they leave, and
// every device must leave the same.
#pragma once

#include "wingbeat/device/atomic.hpp"
#include "wingbeat/device/port.hpp"  // maths, size, WINGBEAT_FN, WINGBEAT_GLOBAL

namespace wingbeat::test {

using device::size;
namespace maths = device::maths;

inline constexpr unsigned n_quantised = 64;     ///< Elements, one for each thread of a workgroup.
inline constexpr unsigned real_results = 4;     ///< Of each element: rows of n_quantised.
inline constexpr unsigned integer_results = 7;  ///< The same.

/// Quantises element i of x: [n_quantised] numbers, and as many bounds.
template <class Real>
WINGBEAT_FN void quantise(WINGBEAT_GLOBAL const Real* x, WINGBEAT_GLOBAL Real* reals,
                          WINGBEAT_GLOBAL size* integers, unsigned i) {
  const Real value = x[i], bound = x[n_quantised + i];
  reals[i] = maths::round_even(value);
  reals[n_quantised + i] = maths::minimum(value, bound);
  reals[2 * n_quantised + i] = maths::maximum(value, bound);
  reals[3 * n_quantised + i] = maths::clamp(value, Real(-2), Real(2.5));
  // Not by a generic lambda, which NVRTC takes for a host function.
  integers += i;
  integers[0] = size(maths::to_integer<signed char>(value));
  integers[n_quantised] = size(maths::to_integer<unsigned char>(value));
  integers[2 * n_quantised] = size(maths::to_integer<short>(value));
  integers[3 * n_quantised] = size(maths::to_integer<int>(value));
  integers[4 * n_quantised] = size(maths::to_integer<unsigned>(value));
  integers[5 * n_quantised] = size(maths::to_integer<long>(value));
  integers[6 * n_quantised] = maths::to_integer<size>(value);
}

inline constexpr unsigned update_workgroups = 4, update_threads = 32, updates_per_thread = 256;
inline constexpr unsigned n_updates = update_workgroups * update_threads * updates_per_thread;
inline constexpr unsigned n_cells = 6;

/// The updates of thread `id` of all. cells: [n_cells], the sums 0, the maxima the least T.
template <class T>
WINGBEAT_FN void update(WINGBEAT_GLOBAL T* cells, unsigned id) {
  constexpr bool is_real = T(1) / T(2) != T(0);
  for (unsigned k = 0; k < updates_per_thread; ++k) {
    const unsigned i = id * updates_per_thread + k;
    const T shuffled = T(i * 37 % n_updates);
    device::atomic_add(cells, T(i % 16));
    device::atomic_add(cells + 1, T(0) - T(i % 16));
    device::atomic_max(cells + 2, shuffled);
    device::atomic_max(cells + 3, T(0) - T(1) - shuffled);
    if constexpr (is_real) {
      const bool is_odd = i % 2 != 0;
      device::atomic_max(cells + 4, is_odd ? T(__builtin_bit_cast(float, 0x7fc00000u)) : T(i));
      device::atomic_max(cells + 5, is_odd ? T(0) : -T(0));
    }
  }
}

}  // namespace wingbeat::test
