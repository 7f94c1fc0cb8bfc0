// SPDX-License-Identifier: Apache-2.0
#include "microscopy/volume_search.hpp"

#include <algorithm>  // max, min, sort
#include <exception>
#include <mutex>
#include <thread>
#include <tuple>  // tie

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
                        .table_threshold = request.table_threshold};
  if (request.storage == precision::fp16) {
    for (const float value : image)
      spec.image_peak = std::max(spec.image_peak, double{std::abs(value)});
  }
  return spec;
}

buffer uploaded(const queue& on, std::span<const float> values) {
  buffer memory{on, values.size_bytes()};
  memory.write(values.data(), values.size_bytes());
  return memory;
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
  const orientation_spec spec = spec_of(request, space, micrograph_.values);
  for (const queue& each : queues) {
    worker& target = workers_.emplace_back(worker{each, orientation_search{each, spec}});
    const buffer spectrum = volume_spectrum(target.on, volume, request.volume);
    const buffer pixels = uploaded(each, micrograph_.values), factors = uploaded(each, filters_);
    target.search.begin(target.on, pixels.view());
    target.search.set_volume(target.on, spectrum.view());
    target.search.set_filters(target.on, factors.view());
    target.on.wait();  // because the buffers are destroyed here
  }
}

void volume_search::add(searching::template_range orientations,
                        const std::function<void(std::size_t n_done)>& report) {
  // Long enough that the upload of rotations costs nothing, short enough for progress.
  constexpr std::size_t runs_of_piece = 8;
  const std::size_t piece = runs_of_piece * orientations_at_once();
  std::mutex mutex;  // guards what follows
  std::size_t next = orientations.begin, n_done = 0;
  std::exception_ptr failure;
  const auto take = [&] {
    const std::lock_guard lock{mutex};
    const std::size_t begin = failure ? orientations.end : next;
    next = std::min(begin + piece, orientations.end);
    return searching::template_range{begin, next};
  };
  const auto work = [&](worker& target) {
    try {
      for (auto part = take(); part.begin < part.end; part = take()) {
        std::vector<plane_axes> axes;
        for (std::size_t i = part.begin; i < part.end; ++i) {
          axes.push_back(
              axes_of(rotation_of(space_.orientations.angles(i)), microscope_.magnification));
        }
        target.search.add(target.on, axes, part.begin);
        target.on.wait();
        const std::lock_guard lock{mutex};
        n_done += axes.size();
        if (report) report(n_done);
      }
    } catch (...) {
      const std::lock_guard lock{mutex};
      if (!failure) failure = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 1; i < workers_.size(); ++i) {
      threads.emplace_back([&work, &target = workers_[i]] { work(target); });
    }
    work(workers_.front());
  }
  if (failure) std::rethrow_exception(failure);
}

std::size_t volume_search::orientations_at_once() const {
  return workers_.front().search.spec().orientations_at_once;
}

std::size_t volume_search::device_bytes() const {
  return workers_.front().search.device_bytes();
}

std::string volume_search::explain() const {
  return workers_.front().search.explain();
}

search_state volume_search::state() {
  search_state kept = workers_.front().search.state(workers_.front().on);
  for (std::size_t i = 1; i < workers_.size(); ++i) {
    kept.merge(workers_[i].search.state(workers_[i].on));
  }
  return kept;
}

score_table volume_search::take_table() {
  score_table table;
  for (worker& each : workers_) {
    const score_table part = each.search.take_table(each.on);
    table.entries.insert(table.entries.end(), part.entries.begin(), part.entries.end());
    table.lost += part.lost;
  }
  std::sort(table.entries.begin(), table.entries.end(), [](const auto& a, const auto& b) {
    return std::tie(a.number, a.y, a.x) < std::tie(b.number, b.y, b.x);
  });
  return table;
}

}  // namespace wingbeat::microscopy
