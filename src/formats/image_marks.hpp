// SPDX-License-Identifier: Apache-2.0
// Boxes drawn over an image, such as those where a template was found.
#pragma once

#include <array>
#include <cstddef>  // ptrdiff_t, size_t
#include <cstdint>  // uint8_t
#include <optional>
#include <span>
#include <string>

#include "formats/image.hpp"  // image_stack, value_range

namespace wingbeat::formats {

/// A rectangle of pixels, from row `y` and column `x` on; what lies outside the image is not drawn.
struct image_box {
  std::ptrdiff_t y = 0;
  std::ptrdiff_t x = 0;
  std::size_t height = 0;
  std::size_t width = 0;
  std::string label = {};  ///< Letters, digits and -+.,:=/%#; anything else is drawn as '?'.
};

using rgb_colour = std::array<std::uint8_t, 3>;

/// Returns the colour of a box: one each for the first eight, the same one for all others.
[[nodiscard]] rgb_colour colour_of_rank(std::size_t rank) noexcept;

struct mark_options {
  int line_pixels = 1;                    ///< 1 or 2, of lines and of a label's dots.
  std::optional<value_range> range = {};  ///< Of the image; unset: the least and largest sample.
};

/// Returns an RGB image of 0 to 255, to be written with the range {0, 255}: the grey image from
/// black to white, and over it the outlines of the boxes, inside their edges, with their labels
/// above them, or below where there is no room. Boxes are given best first: the best lies on top.
/// Throws `plan_error` unless the stack is one image of one channel, or for other lines or ranges.
[[nodiscard]] image_stack draw_boxes(const image_stack& image, std::span<const image_box> boxes,
                                     const mark_options& options = {});

}  // namespace wingbeat::formats
