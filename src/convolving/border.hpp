// SPDX-License-Identifier: Apache-2.0
// Which pixels of an image stand for pixels around it, in one axis.
//   mirror: with m = n mod 2N, pixel m or 2N - 1 - m;   repeat: pixel n mod N.
#pragma once

#include <cstddef>  // size_t, ptrdiff_t
#include <string>

#include "wingbeat/image_convolution.hpp"  // border

namespace wingbeat::convolving {

/// Pixels `begin`, `begin` + 1, .. of an image that is continued beyond its ends.
struct continued_axis {
  border outside = border::zero;
  std::size_t image = 1;     ///< N, the image's own pixels.
  std::ptrdiff_t begin = 0;  ///< Of the image's index; at most 0 where pixels lie outside.
  std::size_t length = 1;

  /// Returns whether element e is pixel e for all e.
  [[nodiscard]] bool is_image() const { return begin == 0 && length == image; }
  /// Returns whether all elements are pixels of the image itself.
  [[nodiscard]] bool is_inside() const;
};

/// Returns the pixel that element e is; N where a border of zeros has none.
[[nodiscard]] std::size_t pixel_of(const continued_axis& axis, std::size_t e);

/// Returns `pixel_of` as an expression of C++ in `e`, of an unsigned type named `index`. Where
/// there is no pixel, its value is N or more.
[[nodiscard]] std::string pixel_text(const continued_axis& axis);

}  // namespace wingbeat::convolving
