// SPDX-License-Identifier: Apache-2.0
// Peaks of a search as a table, CSV, JSON, and boxes over the image.
#pragma once

#include <cstddef>  // size_t
#include <span>
#include <string>
#include <vector>

#include "formats/image_marks.hpp"       // image_box
#include "wingbeat/template_search.hpp"  // peak, extent

namespace wingbeat::cli {

/// Returns the peaks as lines for people; a sentence where there is none.
[[nodiscard]] std::string peaks_table(std::span<const peak> peaks);

/// Returns "template,y,x,score" and one line per peak. A score has as many digits as tell it from
/// other floats, here and in JSON.
[[nodiscard]] std::string peaks_csv(std::span<const peak> peaks);

/// Returns {"peaks": [{"template": 0, "y": 12, "x": 7, "score": 1.5}]} on one line.
[[nodiscard]] std::string match_json(std::span<const peak> peaks);

/// Returns the part of the image under the template of each peak, labelled with its score and,
/// where there are several templates, before it the template's number and a colon.
[[nodiscard]] std::vector<formats::image_box> boxes_of(std::span<const peak> peaks, extent mode,
                                                       std::size_t template_height,
                                                       std::size_t template_width,
                                                       bool are_several_templates);

}  // namespace wingbeat::cli
