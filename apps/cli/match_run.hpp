// SPDX-License-Identifier: Apache-2.0
// A search of one image for templates, and the maps of their scores.
#pragma once

#include <cstddef>  // size_t
#include <functional>
#include <optional>
#include <vector>

#include "cli/template_files.hpp"        // template_files
#include "formats/images/image.hpp"      // image_stack, image_samples
#include "wingbeat/devices.hpp"          // device_info
#include "wingbeat/template_search.hpp"  // peak, extent, precision

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

  [[nodiscard]] bool wants_maps() const { return take_map != nullptr; }
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
  std::vector<float> scores;
  std::vector<std::vector<float>> maps;  ///< Of `match_request::maps`.
  std::vector<std::uint32_t> numbers;
  std::vector<located_peak> peaks;
};

/// Returns the place of the vertex of the parabola through three scores at -1, 0 and 1:
/// (before - after) / (2 (before - 2 score + after)); 0 unless `score` is the largest of them.
[[nodiscard]] double vertex_of(double before, double score, double after);

/// Returns how many templates are scored at once, in an image of that shape.
[[nodiscard]] std::size_t templates_at_once(const match_request& request,
                                            const formats::image_stack& image,
                                            const template_files& templates);

/// Searches the image, one of one channel. Pixels that are NaN are not there: see
/// `cli/masked_search.hpp`; places without a score are NaN in maps. Throws `plan_error` for
/// templates that the mode does not allow and scores that could exceed the precision, and as the
/// library does.
[[nodiscard]] match_result match(const device_info& device, const formats::image_stack& image,
                                 template_files& templates, const match_request& request);

}  // namespace wingbeat::cli
