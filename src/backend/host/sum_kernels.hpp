// SPDX-License-Identifier: Apache-2.0
// Kernels of one instruction set for convolutions by their sums.
#pragma once

#include <cstddef>  // ptrdiff_t, size_t

namespace wingbeat::backend::host {

/// One row of results:  y[n] = sum over r, j of t[r][j] x[r][n + start - j],  over those x that are
/// in their row. Each y is summed in the order of j, then r, independently of its neighbours.
/// Pitches and strides count numbers, which are real or complex, and may be negative.
struct summed_rows {
  const void* signal = nullptr;
  std::ptrdiff_t signal_pitch = 0;  ///< From one row to the next.
  std::ptrdiff_t length = 0;        ///< Numbers of a row of the signal.
  const void* taps = nullptr;
  std::ptrdiff_t taps_pitch = 0;
  std::ptrdiff_t taps_stride = 1;  ///< From one tap of a row to the next.
  std::ptrdiff_t n_taps = 0;       ///< Per row.
  std::ptrdiff_t n_rows = 0;
  void* out = nullptr;
  std::ptrdiff_t count = 0;  ///< Results.
  std::ptrdiff_t start = 0;
  bool conjugates_taps = false;
  bool adds = false;  ///< The sums start from the values in `out`, not from 0.
};

using sum_kernel = void (*)(const summed_rows& rows);

/// One kernel for each kind of numbers; integers have 64 bits and wrap around.
struct sum_kernels {
  sum_kernel fp32, fp64, complex_fp32, complex_fp64, integers;
};

}  // namespace wingbeat::backend::host
