// SPDX-License-Identifier: Apache-2.0
#include "searching/templates_at_once.hpp"

#include <algorithm>  // clamp, min

namespace wingbeat::searching {
namespace {

/// Returns how many templates are scored at once at most: as many as fill 64 MiB with their maps
/// and 16 MiB themselves, in fp32.
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
  // Parts of a search are whole batches of it: few templates are scored fewer at once, so that a
  // part of 16 has within 6 % as many as another one, and one of 256 has some.
  constexpr std::size_t least_batches = 256;
  return std::clamp<std::size_t>(
      n_templates / least_batches, 1,
      batch_of(length(0) * length(1), spec.templates[0] * spec.templates[1]));
}

}  // namespace wingbeat::searching
