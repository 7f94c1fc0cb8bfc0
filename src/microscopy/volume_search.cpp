// SPDX-License-Identifier: Apache-2.0
#include "microscopy/volume_search.hpp"

#include <algorithm>  // max
#include <cmath>      // abs

#include "microscopy/projection_filters.hpp"  // projection_filters
#include "microscopy/volume.hpp"              // require_cube, volume_spectrum

namespace wingbeat::microscopy {
namespace {

orientation_spec spec_of(const volume_request& request, const search_space& space,
                         std::span<const float> image) {
  orientation_spec spec{.image = {request.height, request.width},
                        .box = request.volume[0],
                        .filters = space.n_filters(),
                        .has_complex_filters = request.microscope.is_complex(),
                        .between = request.storage,
                        .max_bytes = request.max_device_bytes,
                        .most_scores = space.orientations.count() * space.n_filters(),
                        .table_threshold = request.table_threshold,
                        .histogram = request.histogram};
  if (request.storage == precision::fp16) {
    for (const float value : image)
      spec.image_peak = std::max(spec.image_peak, double{std::abs(value)});
  }
  return spec;
}

}  // namespace

volume_search::volume_search(const std::vector<queue>& queues, const volume_request& request,
                             const search_space& space, std::span<const float> image,
                             std::span<const float> volume)
    : space_(space), microscope_(request.microscope) {
  require_cube(volume, request.volume);
  queue first = queues.front();
  micrograph_ = filtered_micrograph(first, image, request.height, request.width, request.filters);
  filters_ = projection_filters(request.microscope, request.volume[0], micrograph_.filter,
                                space.defocus_offsets, space.spherical_aberrations);
  search_.emplace(queues, spec_of(request, space, micrograph_.values));
  search_->begin(micrograph_.values);
  const buffer spectrum = volume_spectrum(first, volume, request.volume);
  std::vector<float> bins(spectrum.size_bytes() / sizeof(float));
  spectrum.read(bins.data(), spectrum.size_bytes());
  search_->set_volume(bins);
  search_->set_filters(filters_);
}

void volume_search::add(searching::template_range orientations,
                        const std::function<void(std::size_t n_done)>& report) {
  std::vector<plane_axes> axes;
  for (std::size_t i = orientations.begin; i < orientations.end; ++i) {
    axes.push_back(axes_of(rotation_of(space_.orientations.angles(i)), microscope_.magnification));
  }
  search_->add(axes, orientations.begin, report);
}

}  // namespace wingbeat::microscopy
