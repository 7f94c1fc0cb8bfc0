// SPDX-License-Identifier: Apache-2.0
// The bins of an image's half spectrum, in the order of rfft2, and their frequencies.
#pragma once

#include <cmath>    // hypot
#include <cstddef>  // size_t

namespace wingbeat::microscopy {

/// The bins [ky][kx] of a real image of any lengths: `height` rows of width/2 + 1 bins.
struct half_plane {
  std::size_t height = 0, width = 0;  ///< Of the image.

  [[nodiscard]] std::size_t columns() const { return width / 2 + 1; }
  [[nodiscard]] std::size_t bins() const { return height * columns(); }

  /// Frequencies in cycles/pixel: y from -1/2 below 1/2, x from 0 to 1/2.
  [[nodiscard]] double y(std::size_t bin) const {
    const auto row = static_cast<double>(bin / columns()), n = static_cast<double>(height);
    return (2 * row < n ? row : row - n) / n;
  }
  [[nodiscard]] double x(std::size_t bin) const {
    return static_cast<double>(bin % columns()) / static_cast<double>(width);
  }
  [[nodiscard]] double radius(std::size_t bin) const { return std::hypot(y(bin), x(bin)); }

  /// Returns how often the whole spectrum has a bin or its conjugate: 2, in columns that are their
  /// own mirror images 1.
  [[nodiscard]] double weight(std::size_t bin) const {
    const std::size_t column = bin % columns();
    return column == 0 || 2 * column == width ? 1 : 2;
  }
};

}  // namespace wingbeat::microscopy
