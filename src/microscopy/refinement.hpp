// SPDX-License-Identifier: Apache-2.0
// Refines a detection, or tries the orientations that another detection leaves possible: searches
// the image around one place.
#pragma once

#include <array>
#include <cstddef>  // size_t
#include <span>
#include <vector>

#include "microscopy/detections.hpp"        // detection, score_maps
#include "microscopy/orientations.hpp"      // rotation
#include "wingbeat/buffer.hpp"              // buffer_view
#include "wingbeat/orientation_search.hpp"  // orientation_search
#include "wingbeat/queue.hpp"               // queue

namespace wingbeat::microscopy {

struct refinement_spec {
  std::vector<std::size_t> image = {};  ///< {height, width}
  std::size_t box = 0;                  ///< Edge of the volume.
  std::size_t filters = 1;              ///< For instance one for each defocus that is tried.
  bool has_complex_filters = false;
  /// Places up to so many pixels from the given one are tried, in y and x; near the image's edge
  /// the same number of places, nearer to its centre.
  std::size_t reach = 8;
  std::array<double, 4> magnification = {1, 0, 0, 1};  ///< See `axes_of`.
};

/// Not for several threads at once. Functions throw `plan_error` and `device_error`.
class refinement {
 public:
  refinement(const queue& on, refinement_spec spec);

  /// As `orientation_search::set_volume`.
  void set_volume(queue& on, buffer_view spectrum) { search_.set_volume(on, spectrum); }

  /// Returns the place, orientation and filter with the largest z near a place. Its number is
  /// orientation times filters plus filter. Waits.
  /// image: [y][x], as prepared for the search, whose variance is 1 / (height width).
  /// maps: the search's mean and deviation, by which scores become z.
  /// filters: as `orientation_search::set_filters`. y, x: the template's first pixel.
  [[nodiscard]] detection refine(queue& on, std::span<const float> image, const score_maps& maps,
                                 std::span<const rotation> orientations,
                                 std::span<const float> filters, std::size_t y, std::size_t x);

 private:
  refinement_spec spec_;
  orientation_search search_;
};

}  // namespace wingbeat::microscopy
