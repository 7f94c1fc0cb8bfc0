// SPDX-License-Identifier: Apache-2.0
#include "arrays/dimension.hpp"

namespace wingbeat::arrays {

std::vector<beside> dimensions_beside(const array& from, const array& to, const axis_span& axes) {
  std::vector<beside> result;
  for (std::size_t b = 0; b < from.batches.size(); ++b) {
    const batch& read = from.batches[b];
    result.push_back({{.count = read.count,
                       .in = read.distance,
                       .out = to.batches[b].distance,
                       .block = read.block,
                       .block_in = read.block_distance}});
  }
  for (std::size_t a = 0; a < from.axes.size(); ++a) {
    if (axes.contains(a)) continue;
    result.push_back(
        {{.count = from.axes[a].valid_count(), .in = from.axes[a].stride, .out = to.axes[a].stride},
         a});
  }
  return result;
}

std::size_t offset_beside(const array& source, const axis_span& axes) {
  std::size_t offset = 0;
  for (std::size_t a = 0; a < source.axes.size(); ++a) {
    if (!axes.contains(a)) offset += source.axes[a].first_offset();
  }
  return offset;
}

std::size_t lead_along(const array& source, const axis_span& axes) {
  std::size_t lead = 0;
  for (std::size_t a = axes.first; a <= axes.last(); ++a) {
    const bool counts_reals =
        source.elements_are == element::pair && source.has_parts && a + 1 == source.axes.size();
    lead += source.axes[a].placed.first *
            (counts_reals ? source.parts_distance : source.axes[a].stride);
  }
  return lead;
}

std::vector<level> nested_levels(const std::vector<std::size_t>& counts) {
  std::vector<level> levels;
  std::size_t stride = 1;
  for (const std::size_t count : counts) {
    levels.push_back({count, stride});
    stride *= count;
  }
  return levels;
}

}  // namespace wingbeat::arrays
