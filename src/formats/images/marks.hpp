// SPDX-License-Identifier: Apache-2.0
// Boxes drawn over an image, such as those where a template was found.
#pragma once

#include <array>
#include <cstddef>  // ptrdiff_t, size_t
#include <cstdint>  // uint8_t
#include <optional>
#include <span>
#include <string>

#include "formats/images/image.hpp"  // image_stack, value_range

namespace wingbeat::formats {

/// A rectangle of pixels, from row `y` and column `x` on; what lies outside the image is not drawn.
struct image_box {
  std::ptrdiff_t y = 0;
  std::ptrdiff_t x = 0;
  std::size_t height = 0;
  std::size_t width = 0;
  std::string label = {};  ///< Letters, digits and -+.,:=/%#; anything else is drawn as '?'.
  std::size_t colour = 0;  ///< Such as the number of the template; see `colour_of`.
};

using rgb_colour = std::array<std::uint8_t, 3>;

/// Returns a bright colour: one each for the first eight numbers, then hues apart by the golden
/// angle, all of which are seen on grey.
[[nodiscard]] rgb_colour colour_of(std::size_t number) noexcept;

struct mark_options {
  int line_pixels = 1;                    ///< 1 to 64, of lines.
  int dot_pixels = 1;                     ///< 1 to 64, of a label's dots; 5 make its height.
  std::optional<value_range> range = {};  ///< Of the image; unset: the least and largest sample.
};

/// Returns lines and labels that are seen where a picture of that size fills a screen.
[[nodiscard]] mark_options marks_for(std::size_t height, std::size_t width);

/// Returns an RGB image of 0 to 255, to be written with the range {0, 255}: the grey image from
/// black to white, and over it the outlines of the boxes, inside their edges, with their labels
/// above them, else below or within; where a better box's label leaves no room, without. Boxes are
/// given best first: the best lies on top.
/// Throws `plan_error` unless the stack is one image of one channel, or for other lines or ranges.
[[nodiscard]] image_stack draw_boxes(const image_stack& image, std::span<const image_box> boxes,
                                     const mark_options& options = {});

}  // namespace wingbeat::formats
