// SPDX-License-Identifier: Apache-2.0
#include "searching/peaks.hpp"

#include <algorithm>  // min
#include <cmath>      // isfinite

namespace wingbeat::searching {

double vertex_of(double before, double score, double after) {
  const double curvature = before - 2 * score + after;
  if (!(score >= before && score >= after && curvature < 0) || !std::isfinite(curvature)) return 0;
  return (before - after) / (2 * curvature);
}

std::vector<located_peak> located_peaks(const std::vector<float>& scores,
                                        const std::vector<std::uint32_t>& numbers,
                                        std::size_t width, const peak_request& request) {
  const auto peaks = peaks_of(scores, numbers, width, std::min(request.max_count, scores.size()),
                              request.min_score, request.distance);
  std::vector<located_peak> result;
  result.reserve(peaks.size());
  for (const peak& found : peaks) {
    const std::size_t place = found.y * width + found.x;
    const auto between = [&](std::size_t index, std::size_t length, std::size_t stride) {
      const auto pixel = static_cast<double>(index);
      if (index == 0 || index + 1 == length) return pixel;
      return pixel + vertex_of(scores[place - stride], scores[place], scores[place + stride]);
    };
    result.push_back(
        {found, between(found.y, scores.size() / width, width), between(found.x, width, 1)});
  }
  return result;
}

}  // namespace wingbeat::searching
