// SPDX-License-Identifier: Apache-2.0
// The search of a micrograph for a volume, dealt to several queues.
#pragma once

#include <array>
#include <cstddef>  // size_t
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "microscopy/detections.hpp"   // search_space
#include "microscopy/micrograph.hpp"   // filtered_micrograph, radial_filter
#include "microscopy/optics.hpp"       // optics
#include "searching/orientations.hpp"  // shared_orientation_search
#include "searching/part.hpp"          // template_range
#include "wingbeat/queue.hpp"          // queue

namespace wingbeat::microscopy {

struct volume_request {
  std::array<std::size_t, 3> volume = {};  ///< {depth, height, width}, all the same and even.
  std::size_t height = 0, width = 0;       ///< Of the micrograph.
  optics microscope;
  filter_options filters = {};
  /// The type that spectra and workspace are stored in; empty: fp32.
  std::optional<precision> storage = {};
  std::optional<double> table_threshold = {};
  score_bins histogram = {};
  std::size_t max_device_bytes = 0;  ///< 0: most of a device's memory.
};

/// Keeps the scores of a search space's templates; their numbers are orientation times filters plus
/// filter. Not thread-safe.
class volume_search {
 public:
  /// Prepares the micrograph, [y][x], and the volume, [z][y][x], on each queue. Throws `plan_error`
  /// as their functions and `orientation_search` do.
  volume_search(const std::vector<queue>& queues, const volume_request& request,
                const search_space& space, std::span<const float> micrograph,
                std::span<const float> volume);

  /// Scores the orientations from `begin` to `end` - 1, dealt to the queues in whole runs, and
  /// waits. report: called by one thread at a time, with the orientations done in this call.
  void add(searching::template_range orientations,
           const std::function<void(std::size_t n_done)>& report = {});

  /// What is kept, and the orientations of a run: ranges of whole runs waste nothing.
  [[nodiscard]] searching::shared_orientation_search& orientations() { return *search_; }
  [[nodiscard]] const micrograph& prepared() const { return micrograph_; }
  [[nodiscard]] const std::vector<float>& filters() const { return filters_; }

 private:
  const search_space& space_;
  optics microscope_;
  micrograph micrograph_;
  std::vector<float> filters_;
  std::optional<searching::shared_orientation_search> search_;
};

}  // namespace wingbeat::microscopy
