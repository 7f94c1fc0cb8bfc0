// SPDX-License-Identifier: Apache-2.0
// A search of one image for templates in files, and the products of its scores.
#pragma once

#include <algorithm>  // max
#include <cstddef>    // size_t
#include <cstdint>    // uint32_t
#include <limits>     // numeric_limits
#include <optional>
#include <vector>

#include "cli/template_files.hpp"        // template_files
#include "formats/images/image.hpp"      // image_stack
#include "searching/peaks.hpp"           // located_peak
#include "searching/scorer.hpp"          // search_request
#include "wingbeat/devices.hpp"          // device_info
#include "wingbeat/template_search.hpp"  // score_map, search_state

namespace wingbeat::cli {

/// The request of a search and of its products.
struct match_request : searching::search_request {
  bool wants_scores = false;    ///< The largest score of each place, and its template.
  std::vector<score_map> maps;  ///< Maps to make; `search` must keep their sources.
  bool wants_peaks = false;
  bool wants_state = false;  ///< The kept state, to be merged.
  std::size_t max_peaks = 10;
  double min_score = -std::numeric_limits<double>::infinity();
  std::optional<std::size_t> distance;  ///< Unset: half the shorter side of a template.

  /// Returns the distance of peaks, given the shorter side of a template.
  [[nodiscard]] std::size_t distance_of(std::size_t shorter) const {
    return distance.value_or(std::max<std::size_t>(shorter / 2, 1));
  }
};

/// The products of a search. Maps are [y][x], `height` times `width` values.
struct match_result {
  std::size_t height = 0, width = 0;
  std::size_t n_templates = 0;
  search_state kept = {};  ///< Without arrays if only maps of templates were wanted.
  std::vector<float> scores = {};
  std::vector<std::vector<float>> maps = {};  ///< Those of `match_request::maps`.
  std::vector<std::uint32_t> numbers = {};
  std::vector<searching::located_peak> peaks = {};
};

/// Makes scores, maps and peaks from the kept state. shorter: the shorter side of a template.
void complete(const match_request& request, std::size_t shorter, match_result& target);

/// Searches a grey image on all devices at once, each with some templates. NaN pixels are missing;
/// places without a score are NaN in maps. Throws `plan_error` for templates that the mode does not
/// allow and for scores that could exceed the precision, and as the library does. Maps of templates
/// are in order only from one device.
[[nodiscard]] match_result match(const std::vector<device_info>& devices,
                                 const formats::image_stack& image, template_files& templates,
                                 match_request request);

}  // namespace wingbeat::cli
