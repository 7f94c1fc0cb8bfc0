// SPDX-License-Identifier: Apache-2.0
#include "searching/templates_at_once.hpp"

#include <algorithm>  // clamp, min

namespace wingbeat::searching {
namespace {

/// Returns the most templates to score at once: their maps take up to 64 MiB and they themselves up
/// to 16 MiB in fp32.
std::size_t batch_of(std::size_t map_points, std::size_t template_points) {
  constexpr std::size_t batch_map_points = std::size_t{1} << 24;
  constexpr std::size_t batch_template_points = std::size_t{1} << 22;
  return std::clamp<std::size_t>(
      std::min(batch_map_points / map_points, batch_template_points / template_points), 1, 64);
}

}  // namespace

std::size_t templates_at_once(const search_spec& spec, std::size_t n_templates) {
  const auto length = [&](std::size_t axis) {
    const std::size_t n = spec.image[axis], of_template = spec.templates[axis];
    switch (spec.mode) {
      case extent::full: return n + of_template - 1;
      case extent::same: return n;
      case extent::valid: return n >= of_template ? n - of_template + 1 : 1;
    }
    return n;
  };
  // A part consists of whole batches, so a search has at least 256 batches if it can: then 16 parts
  // differ by at most 6 %, and none of 256 is empty.
  constexpr std::size_t least_batches = 256;
  return std::clamp<std::size_t>(
      n_templates / least_batches, 1,
      batch_of(length(0) * length(1), spec.templates[0] * spec.templates[1]));
}

}  // namespace wingbeat::searching
