// SPDX-License-Identifier: Apache-2.0
// Lists of places in images, such as those of particles: STAR tables of RELION, boxes of EMAN.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace wingbeat::formats {

/// A place in pixels of an image, from the middle of its first pixel.
struct image_place {
  double y = 0, x = 0;
  std::string micrograph = {};  ///< Empty: the list does not name it.
};

/// Returns the places of a list, in its order. STAR: the rows of the first table with
/// _rlnCoordinateX and _rlnCoordinateY. Boxes: lines of x, y, width and height, whose place is
/// corner + size / 2, rounded down. Throws `file_error` naming `name` and the line at fault.
[[nodiscard]] std::vector<image_place> parse_places(std::string_view content,
                                                    const std::string& name);

/// Returns those of a file that lie in a micrograph, without those that name one whose name differs
/// by more than folder and extension; an empty name: all. Throws `file_error` where none is left.
[[nodiscard]] std::vector<image_place> read_places(const std::filesystem::path& file,
                                                   const std::string& micrograph);

}  // namespace wingbeat::formats
