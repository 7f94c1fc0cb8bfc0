// SPDX-License-Identifier: Apache-2.0
// Convolutions and correlations by their sums, on the processor: exact where products and sums are
// exact, and faster than transforms where one of the two signals is short.
#pragma once

#include <cstddef>  // ptrdiff_t, size_t
#include <span>

#include "wingbeat/cpp20.hpp"  // stops older C++

namespace wingbeat {

/// The type of the numbers. Integers have 64 bits and wrap around like unsigned ones.
enum class summed_number { fp32, fp64, complex_fp32, complex_fp64, integer };

/// One axis of a signal f, taps t and results c:  c[n] = sum over j of t[j] f[n + start - j],
/// where f[.] exists. Strides count numbers.
struct summed_axis {
  std::size_t signal = 1;    ///< Length of f.
  std::size_t taps = 1;      ///< Length of t.
  std::size_t result = 1;    ///< Length of c.
  std::ptrdiff_t start = 0;  ///< The index of a full convolution that c begins with.
  std::ptrdiff_t signal_stride = 1;
  std::ptrdiff_t taps_stride = 1;  ///< Negative: a correlation, with `taps` at the last tap.
  std::ptrdiff_t result_stride = 1;
};

/// Writes the sums along all axes, outermost first, on the threads of the engine `host` if there is
/// work for several. Each result is summed in one order, independent of its neighbours and of the
/// threads; instruction sets may round it differently. `conjugates_taps` is for complex numbers.
/// Neither `signal` nor `taps` may overlap `result`. Throws `plan_error` if there is no axis, or if
/// `signal` or `result` does not have stride 1 on the last axis.
void sum_directly(summed_number numbers, std::span<const summed_axis> axes, const void* signal,
                  const void* taps, void* result, bool conjugates_taps = false);

/// Returns the nanoseconds that those sums are expected to take on one thread of this processor.
[[nodiscard]] double ns_of_sums(summed_number numbers, std::span<const summed_axis> axes);

/// Returns whether the sums are expected to take less time than a call of Python's
/// `signal.convolve` that uses transforms.
[[nodiscard]] bool are_sums_quicker(summed_number numbers, std::span<const summed_axis> axes);

}  // namespace wingbeat
