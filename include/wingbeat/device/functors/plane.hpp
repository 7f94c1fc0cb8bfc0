// SPDX-License-Identifier: Apache-2.0
// The interleaved pixels of an image, [y][x][channel], as elements of a larger or smaller plane.
// Stored: float, double, or unsigned short for the bits of fp16, which are computed as float.
#pragma once

#include "wingbeat/device/functors/border.hpp"  // continued_axis, pixel_of
#include "wingbeat/device/half.hpp"             // half_float
#include "wingbeat/device/port.hpp"             // WINGBEAT_FN, size

namespace wingbeat::device::functors {

/// A plane of elements [rows.length][columns.length] over an image.
struct pixel_numbers {
  size width = 1, channels = 1;  ///< Of the image.
  continued_axis rows, columns;

  /// Returns whether some elements have no pixel.
  WINGBEAT_FN constexpr bool has_gaps() const {
    return rows.outside == border::zero && !(rows.is_inside() && columns.is_inside());
  }

  template <class Visit>
  WINGBEAT_FN void each(Visit visit) const {
    visit("width", width);
    visit("channels", channels);
    visit("rows.outside", rows.outside);
    visit("rows.image", rows.image);
    visit("rows.begin", rows.begin);
    visit("rows.length", rows.length);
    visit("columns.outside", columns.outside);
    visit("columns.image", columns.image);
    visit("columns.begin", columns.begin);
    visit("columns.length", columns.length);
  }
};

/// The number for an element without a pixel.
template <class Index>
inline constexpr Index no_pixel = ~Index(0);

/// Returns the number of the pixel at element i of a line. Index: an unsigned type that counts
/// pixels and elements; 64-bit divisions take GPUs several times as long.
template <class Index>
WINGBEAT_FN Index pixel_at(pixel_numbers n, Index line, Index i) {
  const Index y = pixel_of(n.rows, line), x = pixel_of(n.columns, i);
  if (n.has_gaps() && (y >= Index(n.rows.image) || x >= Index(n.columns.image))) {
    return no_pixel<Index>;
  }
  return y * Index(n.width) + x;
}

/// Returns the number of the pixel at element i of the plane.
template <class Index>
WINGBEAT_FN Index pixel_at(pixel_numbers n, Index i) {
  if (n.rows.is_image() && n.columns.is_image()) return i;
  const Index length = Index(n.columns.length);
  return pixel_at(n, i / length, i % length);
}

template <class Stored>
WINGBEAT_FN constexpr auto number_of(Stored stored) {
  if constexpr (sizeof(Stored) >= sizeof(float)) {
    return stored;
  } else {
    return float(half_float::of_bits(stored));
  }
}

template <class Stored, class Number>
WINGBEAT_FN Stored stored_of(Number number) {
  if constexpr (sizeof(Stored) >= sizeof(float)) {
    return number;
  } else {
    return half_float(number).bits;
  }
}

}  // namespace wingbeat::device::functors
