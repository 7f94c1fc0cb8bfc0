// SPDX-License-Identifier: Apache-2.0
#include "microscopy/refinement.hpp"

#include <algorithm>  // clamp, min
#include <cmath>      // sqrt
#include <limits>
#include <utility>  // move

#include "text/formatted.hpp"  // joined
#include "text/reject.hpp"     // reject_if

namespace wingbeat::microscopy {
namespace {

/// Returns the edge of the part of the image that is searched.
std::size_t edge_of(const refinement_spec& spec) {
  return spec.box + 2 * spec.reach;
}

orientation_spec search_of(const refinement_spec& spec) {
  const bool has_size = spec.image.size() == 2;
  const std::size_t least = has_size ? std::min(spec.image[0], spec.image[1]) : 0;
  reject_if(!has_size || spec.reach > least || edge_of(spec) > least,
            "image {{{}}} has no place {} pixels from others on all sides for a volume of "
            "{}; give {{height, width}}, and a smaller reach",
            joined(spec.image, ", "), spec.reach, spec.box);
  return {.image = {edge_of(spec), edge_of(spec)},
          .box = spec.box,
          .filters = spec.filters,
          .has_complex_filters = spec.has_complex_filters,
          .keeps_sums = false};
}

buffer filled(const queue& on, std::span<const float> values) {
  buffer memory{on, values.size_bytes()};
  memory.write(values.data(), memory.size_bytes());
  return memory;
}

}  // namespace

refinement::refinement(const queue& on, refinement_spec spec)
    : spec_(std::move(spec)), search_(on, search_of(spec_)) {}

detection refinement::refine(queue& on, std::span<const float> image, const score_maps& maps,
                             std::span<const rotation> orientations, std::span<const float> filters,
                             std::size_t y, std::size_t x) {
  const std::size_t height = spec_.image[0], width = spec_.image[1], edge = edge_of(spec_);
  reject_if(image.size() != height * width || maps.height != height - spec_.box + 1 ||
                maps.width != width - spec_.box + 1 || y >= maps.height || x >= maps.width,
            "{} pixels, maps of {}x{} and place ({}, {}) were given for an image of {}x{} "
            "and a volume of {}; give those of its search",
            image.size(), maps.height, maps.width, y, x, height, width, spec_.box);
  const std::size_t top = std::clamp(y, spec_.reach, height - edge + spec_.reach) - spec_.reach,
                    left = std::clamp(x, spec_.reach, width - edge + spec_.reach) - spec_.reach;
  std::vector<float> part;
  // The variance of a searched image is 1 / (its pixels).
  const double scale = std::sqrt(static_cast<double>(image.size())) / static_cast<double>(edge);
  for (std::size_t row = top; row < top + edge; ++row) {
    for (const float pixel : image.subspan(row * width + left, edge)) {
      part.push_back(static_cast<float>(scale * pixel));
    }
  }
  std::vector<plane_axes> axes;
  for (const rotation& each : orientations) axes.push_back(axes_of(each, spec_.magnification));
  const buffer part_memory = filled(on, part), filter_memory = filled(on, filters);
  search_.begin(on, part_memory.view());
  search_.set_filters(on, filter_memory.view());
  search_.add(on, axes, 0);

  const search_state state = search_.state(on);
  const std::vector<float> largest = state.map(score_map::largest);
  const std::vector<std::uint32_t> numbers = state.numbers();
  detection best;
  best.score = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < largest.size(); ++i) {
    const std::size_t row = top + i / state.width, column = left + i % state.width;
    const std::size_t place = row * maps.width + column;
    const double mean = maps.mean[place], deviation = maps.deviation[place];
    const double z = (largest[i] - mean) / deviation;
    if (!(deviation > 0) || !(z > best.score)) continue;
    best = {{z, numbers[i], row, column}, largest[i], mean, deviation};
  }
  return best;
}

}  // namespace wingbeat::microscopy
