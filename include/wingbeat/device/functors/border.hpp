// SPDX-License-Identifier: Apache-2.0
// The pixels of an image that stand for pixels outside it, along one axis.
//   mirror: with m = n mod 2N, pixel m or 2N - 1 - m;   repeat: pixel n mod N.
#pragma once

#include "wingbeat/device/port.hpp"  // WINGBEAT_FN, size

namespace wingbeat::device::functors {

/// The border of an image of N rows (or columns): which row stands for row n.
enum class border {
  zero,    ///< Pixels outside are 0.
  mirror,  ///< Reflected at the edge of the outermost pixel: .. 1 0 | 0 1 .. N-1 | N-1 N-2 ..
  repeat,  ///< n mod N: .. N-2 N-1 | 0 1 .. N-1 | 0 1 ..
  clamp    ///< The outermost pixel:  .. 0 0 | 0 1 .. N-1 | N-1 N-1 ..
};

/// Pixels `begin`, `begin` + 1, .. of an image continued beyond its ends.
struct continued_axis {
  border outside = border::zero;
  size image = 1;  ///< N, the image's own pixels.
  /// Index of the first element in the image; negative for a pixel outside.
  decltype(static_cast<char*>(nullptr) - static_cast<char*>(nullptr)) begin = 0;
  size length = 1;

  /// Returns whether element e is pixel e for all e.
  WINGBEAT_FN constexpr bool is_image() const { return begin == 0 && length == image; }
  /// Returns whether all elements are pixels of the image itself.
  WINGBEAT_FN constexpr bool is_inside() const {
    return begin >= 0 && size(begin) + length <= image;
  }
};

/// Returns the pixel of element e; N or more if a border of zeros has none.
template <class Index>
WINGBEAT_FN constexpr Index pixel_of(continued_axis axis, Index e) {
  const Index image = Index(axis.image), before = Index(-axis.begin), n = e - before;
  if (axis.is_inside() || axis.outside == border::zero) return n;
  if (axis.outside == border::clamp) return e < before ? 0 : n < image ? n : image - 1;
  const bool is_mirror = axis.outside == border::mirror;
  if (before <= image && Index(axis.length) - before <= 2 * image) {
    // One reflection, or one period, needs no division.
    const Index low = is_mirror ? before - 1 - e : n + image;
    const Index high = is_mirror ? 2 * image - 1 - n : n - image;
    return e < before ? low : n < image ? n : high;
  }
  const Index period = is_mirror ? 2 * image : image;
  const Index m = (e + (period - before % period) % period) % period;
  return is_mirror && m >= image ? period - 1 - m : m;
}

}  // namespace wingbeat::device::functors
