// SPDX-License-Identifier: Apache-2.0
#include "microscopy/refinement.hpp"

#include <algorithm>  // clamp, copy_n, min
#include <cmath>      // sqrt
#include <limits>
#include <utility>  // move

#include "text/formatted.hpp"  // formatted
#include "wingbeat/error.hpp"  // plan_error

namespace wingbeat::microscopy {
namespace {

/// Returns the edge of the part of the image that is searched.
std::size_t edge_of(const refinement_spec& spec) {
  return spec.box + 2 * spec.reach;
}

orientation_spec search_of(const refinement_spec& spec) {
  if (spec.image.size() != 2) {
    throw plan_error(formatted("image has {} lengths; give {{height, width}}", spec.image.size()));
  }
  const std::size_t least = std::min(spec.image[0], spec.image[1]);
  if (spec.box > least || spec.reach > (least - spec.box) / 2) {
    throw plan_error(
        formatted("a volume of {} pixels has no {} places to each side in an image of {}x{}; give "
                  "a smaller reach",
                  spec.box, spec.reach, spec.image[0], spec.image[1]));
  }
  return {.image = {edge_of(spec), edge_of(spec)},
          .box = spec.box,
          .filters = spec.filters,
          .has_complex_filters = spec.has_complex_filters,
          .keeps_sums = false};
}

std::size_t bytes_of_filters(const refinement_spec& spec) {
  const std::size_t reals = spec.has_complex_filters ? 2 : 1;
  return spec.filters * spec.box * (spec.box / 2 + 1) * reals * sizeof(float);
}

}  // namespace

refinement::refinement(const queue& on, refinement_spec spec)
    : spec_(std::move(spec)),
      search_(on, search_of(spec_)),
      part_(on, edge_of(spec_) * edge_of(spec_) * sizeof(float)),
      filters_(on, bytes_of_filters(spec_)) {}

std::vector<float> refinement::part_at(std::span<const float> image, std::size_t top,
                                       std::size_t left) const {
  // Its variance is to be 1 / (its pixels).
  const std::size_t edge = edge_of(spec_), width = spec_.image[1];
  const double scale = std::sqrt(static_cast<double>(image.size())) / static_cast<double>(edge);
  std::vector<float> part;
  part.reserve(edge * edge);
  for (std::size_t row = top; row < top + edge; ++row) {
    for (const float pixel : image.subspan(row * width + left, edge)) {
      part.push_back(static_cast<float>(scale * pixel));
    }
  }
  return part;
}

detection refinement::refine(queue& on, std::span<const float> image, const score_maps& maps,
                             std::span<const rotation> orientations, std::span<const float> filters,
                             std::size_t y, std::size_t x) {
  const std::size_t height = spec_.image[0], width = spec_.image[1];
  if (image.size() != height * width || maps.height != height - spec_.box + 1 ||
      maps.width != width - spec_.box + 1) {
    throw plan_error(
        formatted("{} pixels and maps of {}x{} were given for an image of {}x{} and a volume of "
                  "{}; give those of the search",
                  image.size(), maps.height, maps.width, height, width, spec_.box));
  }
  if (y >= maps.height || x >= maps.width || filters.size_bytes() != filters_.size_bytes()) {
    throw plan_error(
        formatted("{} bytes of filters were given for place ({}, {}); give {}, and one of {}x{}",
                  filters.size_bytes(), y, x, filters_.size_bytes(), maps.height, maps.width));
  }
  const std::size_t edge = edge_of(spec_);
  const std::size_t top = std::clamp(y, spec_.reach, height - edge + spec_.reach) - spec_.reach,
                    left = std::clamp(x, spec_.reach, width - edge + spec_.reach) - spec_.reach;
  part_.write(part_at(image, top, left).data(), part_.size_bytes());
  filters_.write(filters.data(), filters_.size_bytes());
  std::vector<plane_axes> axes;
  for (const rotation& each : orientations) axes.push_back(axes_of(each, spec_.magnification));
  search_.begin(on, part_.view());
  search_.set_filters(on, filters_.view());
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
