// SPDX-License-Identifier: Apache-2.0
// What one instruction set offers transforms of lines of reals side by side, one in each lane.
#pragma once

#include <cstddef>  // size_t

#include "wingbeat/device/functors/reductions.hpp"  // folded_samples

namespace wingbeat::backend::host {

/// Lines, as device::functors::line_numbers has them, on their way between memory and columns of
/// complex numbers: element i of lane l is at (i - origin) pitch + l.
template <class Real>
struct lane_lines {
  const Real* in = nullptr;
  Real* out = nullptr;
  std::size_t pitch = 0;
  std::size_t length = 0, origin = 0, first = 0, end = 0;
  bool is_reversed = false, is_alternating = false, has_first_edge = false, has_last_edge = false;
  Real edge = 1;
  const Real* roots = nullptr;  ///< Of the reduction.  [e][re, im]

  Real* tile = nullptr;    ///< [j][column][re, im], a column for each lane
  std::size_t points = 0;  ///< Of the inner transform.
  /// w^k, w = exp(-2 pi i / points), k <= points / 4, where an even number of reals is packed into
  /// half as many rows.  [k][re, im]
  const Real* packing = nullptr;
};

/// Reduction: one of reductions.hpp. Columns are transformed between load and store: forward, or
/// where the reduction stores reals, back.
template <class Reduction, class Real>
struct line_kernel {
  void (*load)(const lane_lines<Real>& lines);   ///< Fills the tile.
  void (*store)(const lane_lines<Real>& lines);  ///< Of columns of even real kinds, halved.
};

/// `count` rows of memory, `pitch` reals apart, and the lanes of a tile.  [index][lane]
template <class Real>
struct transposed_lines {
  const Real* in = nullptr;
  Real* out = nullptr;
  std::size_t pitch = 0;
  std::size_t length = 0;
};

/// The kernels of one instruction set and precision.
template <class Real>
struct line_kernels : line_kernel<device::functors::even_extension, Real>,
                      line_kernel<device::functors::odd_extension, Real>,
                      line_kernel<device::functors::folded_samples, Real>,
                      line_kernel<device::functors::folded_bins, Real>,
                      line_kernel<device::functors::half_turned, Real>,
                      line_kernel<device::functors::odd_places, Real>,
                      line_kernel<device::functors::cas_bins, Real> {
  /// As many rows as the widest vector has lanes, to a tile and back.
  void (*gather)(const transposed_lines<Real>& lines);
  void (*scatter)(const transposed_lines<Real>& lines);
};

struct line_set {
  line_kernels<float> fp32;
  line_kernels<double> fp64;
};

}  // namespace wingbeat::backend::host
