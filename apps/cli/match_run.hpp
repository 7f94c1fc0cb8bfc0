// SPDX-License-Identifier: Apache-2.0
// A search of one image for templates, and the maps of their scores.
#pragma once

#include <cstddef>  // size_t
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/template_files.hpp"        // template_files
#include "formats/images/image.hpp"      // image_stack, image_samples
#include "wingbeat/devices.hpp"          // device_info
#include "wingbeat/template_search.hpp"  // peak, extent

namespace wingbeat::cli {

/// What is wanted of a search.
struct match_request {
  /// Without lengths, `image_peak` and `templates_at_once`. `between` is fp16 only if
  /// `is_normalised`.
  search_spec search;
  bool wants_scores = false;    ///< The largest score of each place, and its template.
  std::vector<score_map> maps;  ///< `search` keeps what they need.
  bool wants_peaks = false;
  std::size_t max_peaks = 10;
  std::optional<double> min_score;
  std::optional<std::size_t> distance;  ///< Unset: half the shorter side of a template.
  double min_valid = 0.5;               ///< Of a template's pixels, in an image that has NaN.
  /// Takes the map of each template, `height` times `width` scores [y][x], in the templates' order;
  /// empty: no maps are wanted.
  std::function<void(std::size_t height, std::size_t width, formats::image_samples map)> take_map;

  bool wants_state = false;  ///< What was kept, to be merged.

  [[nodiscard]] bool wants_maps() const { return take_map != nullptr; }
  [[nodiscard]] bool keeps_state() const {
    return wants_state || wants_scores || !maps.empty() || wants_peaks;
  }
};

/// Where scores come from: what titles, particles and maps say of it.
struct match_source {
  std::string micrograph;  ///< As RELION has it: "000021@stack.mrcs" of image 20 of a stack.
  std::string image_file;
  formats::pixel_size pixel_angstrom;
  std::optional<formats::mrc_placement> placement;  ///< Of maps.
  bool is_normalised = false;
  extent mode = extent::valid;
  std::string arithmetic;  ///< Precision, and what is stored between launches: "fp32, fp16".
  double min_valid = 0.5;  ///< As in `match_request`.
  std::size_t template_height = 0, template_width = 0;
};

/// A peak and where it is between pixels: the vertex of the parabola through its score and those of
/// its neighbours, along each axis; the pixel itself where it is no local maximum along the axis or
/// lies at the map's edge.
struct located_peak : peak {
  double y_subpixel = 0, x_subpixel = 0;  ///< Indices of the map, as y and x.
};

/// What was found. Maps and what is made of them are [y][x], `height` times `width` values.
struct match_result {
  std::size_t height = 0, width = 0;
  std::size_t n_templates = 0;
  search_state kept = {};  ///< Of no arrays where only the maps of templates were wanted.
  std::vector<float> scores = {};
  std::vector<std::vector<float>> maps = {};  ///< Of `match_request::maps`.
  std::vector<std::uint32_t> numbers = {};
  std::vector<located_peak> peaks = {};
};

/// Returns the place of the vertex of the parabola through three scores at -1, 0 and 1:
/// (before - after) / (2 (before - 2 score + after)); 0 unless `score` is the largest of them.
[[nodiscard]] double vertex_of(double before, double score, double after);

/// Returns how many templates are scored at once, in an image of that shape: the same in a search
/// of all of them and in each part of it.
[[nodiscard]] std::size_t templates_at_once(const match_request& request,
                                            const formats::image_stack& image,
                                            const template_files& templates);

/// Makes scores, maps and peaks of what was kept. shorter: the shorter side of a template.
void complete(const match_request& request, std::size_t shorter, match_result& target);

/// Searches the image, one of one channel, on all devices at once, each with some templates.
/// Pixels that are NaN are not there: see `cli/masked_search.hpp`; places without a score are NaN
/// in maps. Throws `plan_error` for templates that the mode does not allow and scores that could
/// exceed the precision, and as the library does. Maps of templates come in order from one device
/// only.
[[nodiscard]] match_result match(const std::vector<device_info>& devices,
                                 const formats::image_stack& image, template_files& templates,
                                 const match_request& request);

}  // namespace wingbeat::cli
