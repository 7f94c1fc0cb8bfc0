// SPDX-License-Identifier: Apache-2.0
// Peaks of a search as a table, CSV, JSON, particles of RELION and EMAN, and boxes over the image.
#pragma once

#include <cstddef>  // size_t
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/images/marks.hpp"      // image_box
#include "searching/peaks.hpp"           // located_peak
#include "wingbeat/template_search.hpp"  // extent

namespace wingbeat::cli {

/// The map of a search: its mode, and the size and number of templates.
struct peak_frame {
  extent mode = extent::valid;
  std::size_t height = 0, width = 0;  ///< Size of a template.
  std::size_t n_templates = 1;
};

/// Returns the image index of a map axis's index 0: the first under the template.
[[nodiscard]] std::ptrdiff_t first_of(std::size_t length, extent mode);

/// The centre of a peak's template in pixels of the image.
struct peak_centre {
  double y = 0, x = 0;
};

/// Returns that centre, the template's pixel (height / 2, width / 2), rounded down.
[[nodiscard]] peak_centre centre_of(const searching::located_peak& found, const peak_frame& frame);

/// Takes a text in parts, because the peaks of a large map may take more memory than the map.
using text_sink = std::function<void(std::string_view)>;

/// Writes the peaks as lines for people. Without peaks, writes why: no place of the map has a
/// score, or with `has_scores` all are below the threshold.
void peaks_table(std::span<const searching::located_peak> peaks, bool has_scores,
                 const text_sink& write);

/// Writes "template,y,x,score,y_subpixel,x_subpixel" and one line per peak. Here and in JSON,
/// scores have the digits that distinguish floats.
void peaks_csv(std::span<const searching::located_peak> peaks, const text_sink& write);

/// Writes {"peaks": [{"template": 0, "y": 12, "x": 7, "score": 1.5, "y_subpixel": 12.25,
/// "x_subpixel": 7}]} on one line; before its end `more`, such as another key.
void match_json(std::span<const searching::located_peak> peaks, std::string_view more,
                const text_sink& write);

/// Writes the particles as a STAR file of RELION, block data_particles. Coordinates are
/// `centre_of`, from 0. Classes are templates, counted from 1. micrograph: its name in
/// RELION, such as "000021@stack.mrcs" for image 20 of a stack.
void peaks_star(std::span<const searching::located_peak> peaks, const peak_frame& frame,
                const std::string& micrograph, const text_sink& write);

/// Writes the particles as boxes of EMAN: x and y of the corner (the image's pixel under the
/// template's first), width and height, separated by tabs. The centre is corner + size / 2.
void peaks_box(std::span<const searching::located_peak> peaks, const peak_frame& frame,
               const text_sink& write);

/// Returns the part of the image under each peak's template, in a colour for each template,
/// labelled with the score; with several templates, their number and a colon come before it.
[[nodiscard]] std::vector<formats::image_box> boxes_of(
    std::span<const searching::located_peak> peaks, const peak_frame& frame);

}  // namespace wingbeat::cli
