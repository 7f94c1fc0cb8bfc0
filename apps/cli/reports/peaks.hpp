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

/// Where the peaks of a search are: its mode, and the templates' size and number.
struct peak_frame {
  extent mode = extent::valid;
  std::size_t height = 0, width = 0;  ///< Of a template.
  std::size_t n_templates = 1;
};

/// Returns index 0 of a map's axis as an index of the image: the first under the template.
[[nodiscard]] std::ptrdiff_t first_of(std::size_t length, extent mode);

/// Takes a text in parts: that of all peaks of a large map may exceed the map.
using text_sink = std::function<void(std::string_view)>;

/// Gives the peaks as lines for people; a sentence where there is none, because no place of the
/// map has a score or the scores that `has_scores` are below the threshold.
void peaks_table(std::span<const searching::located_peak> peaks, bool has_scores,
                 const text_sink& write);

/// Gives "template,y,x,score,y_subpixel,x_subpixel" and one line per peak. A score has as many
/// digits as tell it from other floats, here and in JSON.
void peaks_csv(std::span<const searching::located_peak> peaks, const text_sink& write);

/// Gives {"peaks": [{"template": 0, "y": 12, "x": 7, "score": 1.5, "y_subpixel": 12.25,
/// "x_subpixel": 7}]} on one line.
void match_json(std::span<const searching::located_peak> peaks, const text_sink& write);

/// Gives the particles as a STAR file of RELION, block data_particles. Coordinates are pixels of
/// the image, the first 0, of the template's centre between pixels; the centre is the template's
/// pixel (height / 2, width / 2), rounded down. Classes are templates, counted from 1.
/// micrograph: its name, as RELION has it: "000021@stack.mrcs" of image 20 of a stack.
void peaks_star(std::span<const searching::located_peak> peaks, const peak_frame& frame,
                const std::string& micrograph, const text_sink& write);

/// Gives the particles as boxes of EMAN: x and y of the corner, the image's pixel under the
/// template's first, width and height, separated by tabs. The centre is corner + size / 2.
void peaks_box(std::span<const searching::located_peak> peaks, const peak_frame& frame,
               const text_sink& write);

/// Returns the part of the image under the template of each peak, in the colour of the template,
/// labelled with its score and, where there are several templates, before it the template's number
/// and a colon.
[[nodiscard]] std::vector<formats::image_box> boxes_of(
    std::span<const searching::located_peak> peaks, const peak_frame& frame);

}  // namespace wingbeat::cli
