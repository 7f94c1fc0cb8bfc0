// SPDX-License-Identifier: Apache-2.0
// The pixels of an image that stand for pixels outside it, along one axis.
//   mirror: with m = n mod 2N, pixel m or 2N - 1 - m;   repeat: pixel n mod N;
//   reflect: with m = n mod (2N - 2), pixel m or 2N - 2 - m.
#pragma once

#include "wingbeat/device/port.hpp"  // WINGBEAT_FN, size

namespace wingbeat::device::functors {

/// The border of an image of N rows (or columns): which row stands for row n.
enum class border {
  zero,    ///< Pixels outside are 0.
  mirror,  ///< Reflected at the edge of the outermost pixel: .. 1 0 | 0 1 .. N-1 | N-1 N-2 ..
  repeat,  ///< n mod N: .. N-2 N-1 | 0 1 .. N-1 | 0 1 ..
  clamp,   ///< The outermost pixel:  .. 0 0 | 0 1 .. N-1 | N-1 N-1 ..
  reflect  ///< Reflected at the middle of the outermost pixel: .. 2 1 | 0 1 .. N-1 | N-2 N-3 ..
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
  const Index image = Index(axis.image), before = axis.begin < 0 ? Index(-axis.begin) : 0;
  const Index skipped = axis.begin < 0 ? 0 : Index(axis.begin);
  const Index place = e + skipped, n = place - before;
  if (axis.is_inside() || axis.outside == border::zero) return n;
  if (axis.outside == border::clamp) return place < before ? 0 : n < image ? n : image - 1;
  const bool is_turned = axis.outside != border::repeat;
  const Index shared = axis.outside == border::reflect ? 1 : 0;  // pixels that begin both ways
  if (image <= shared) return 0;
  if (before + shared <= image && skipped + Index(axis.length) - before <= 2 * image - shared) {
    // One reflection, or one period, needs no division.
    const Index low = is_turned ? before + shared - 1 - place : n + image;
    const Index high = is_turned ? 2 * image - 1 - shared - n : n - image;
    return place < before ? low : n < image ? n : high;
  }
  const Index period = is_turned ? 2 * (image - shared) : image;
  const Index m = (place + (period - before % period) % period) % period;
  return is_turned && m >= image ? period + shared - 1 - m : m;
}

}  // namespace wingbeat::device::functors
