// SPDX-License-Identifier: Apache-2.0
// Peaks of a map of scores, and their places between pixels.
#pragma once

#include <cstddef>  // size_t
#include <cstdint>  // uint32_t
#include <limits>   // numeric_limits
#include <vector>

#include "wingbeat/template_search.hpp"  // peak

namespace wingbeat::searching {

/// A peak and its place between pixels: along each axis the vertex of the parabola through its
/// score and the neighbours' scores; the pixel itself if it is no local maximum along the axis or
/// lies at the map's edge.
struct located_peak : peak {
  double y_subpixel = 0, x_subpixel = 0;  ///< In units of y and x.
};

/// Returns the place of the vertex of the parabola through three scores at -1, 0 and 1:
/// (before - after) / (2 (before - 2 score + after)); 0 unless `score` is the largest of them.
[[nodiscard]] double vertex_of(double before, double score, double after);

struct peak_request {
  std::size_t max_count = 10;
  double min_score = -std::numeric_limits<double>::infinity();
  std::size_t distance = 1;  ///< No two peaks are closer in both y and x.
};

/// Returns peaks as `peaks_of` does.
[[nodiscard]] std::vector<located_peak> located_peaks(const std::vector<float>& scores,
                                                      const std::vector<std::uint32_t>& numbers,
                                                      std::size_t width,
                                                      const peak_request& request);

}  // namespace wingbeat::searching
