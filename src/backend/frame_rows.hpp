// SPDX-License-Identifier: Apache-2.0
// Loops over the bins of a frame, in this process, that make levels of bands.
#pragma once

#include <cstddef>  // size_t

namespace wingbeat::backend {

/// Four bands, each from a bin on, of 4 `steps` bins. Weights that a band lacks are 0.
struct band_quad {
  std::size_t first[4] = {};
  std::size_t steps = 0;
};

struct frame_rows {
  /// powers[k] = |bins[k]|^2, bins as pairs. Returns whether all are finite.
  bool (*square)(const float* bins, float* powers, std::size_t count);
  /// sums[b] = sum of weights times powers, for the bands of `count` quads.
  void (*sum)(const band_quad* quads, std::size_t count,
              const float* weights,  // [quad][step][band][4]
              const float* powers, float* sums);
  /// x = gain ln(max(x, floor) + offset) + shift
  void (*log)(float* x, std::size_t count, float floor, float offset, float gain, float shift);
};

/// Returns the loops of the instruction set that the host engine uses.
[[nodiscard]] const frame_rows& host_frame_rows();

}  // namespace wingbeat::backend
