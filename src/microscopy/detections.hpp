// SPDX-License-Identifier: Apache-2.0
// Molecules that a search over orientations found: places whose largest score stands out from all
// scores there,
//
//     z = (largest - mean) / deviation
//
// above the value that f of M independent scores of noise exceed:  z > sqrt(2) erfcinv(2 f / M).
#pragma once

#include <cstddef>  // size_t
#include <cstdint>  // uint32_t
#include <limits>
#include <optional>
#include <vector>

#include "microscopy/orientations.hpp"   // orientation_grid, euler_angles
#include "wingbeat/template_search.hpp"  // search_state

namespace wingbeat::microscopy {

/// What a search's templates are: their numbers are orientation times filters plus filter, and
/// filters are [spherical aberration][defocus].
struct search_space {
  orientation_grid orientations;
  std::vector<double> defocus_offsets{0};          ///< Angstrom.
  std::vector<double> spherical_aberrations{2.7};  ///< mm.

  struct point {
    euler_angles angles;
    double defocus_offset = 0, spherical_aberration = 0;
  };
  [[nodiscard]] std::size_t n_filters() const {
    return defocus_offsets.size() * spherical_aberrations.size();
  }
  /// Returns what a template is. Throws `plan_error` for a number that none has.
  [[nodiscard]] point at(std::size_t number) const;
  /// Returns its number in Leopard-EM: filter times orientations plus orientation, in its order.
  [[nodiscard]] std::size_t leopard_number(std::size_t number) const;
};

/// What a search kept at each place, [y][x].
struct score_maps {
  std::size_t height = 0, width = 0;
  std::vector<float> largest, mean, deviation;
  std::vector<float> z;  ///< 0 where the deviation is 0 and where there is no score.
  std::vector<std::uint32_t> numbers;
};

/// Throws `plan_error` for a state without sums.
[[nodiscard]] score_maps maps_of(const search_state& state);

/// Returns the z that noise exceeds `false_positives` times in `n_scores` scores. Throws
/// `plan_error` unless the former is above 0 and at most half of the latter.
[[nodiscard]] double threshold_of(double false_positives, double n_scores);

struct detection_request {
  double false_positives = 1;            ///< Expected in the whole image, over all templates.
  std::optional<double> threshold = {};  ///< Of z, in place of the one for false positives.
  double radius = 5;                     ///< Pixels; nearer to a detection there is no other.
  std::size_t most = std::numeric_limits<std::size_t>::max();
};

/// z is `score`; y and x are the template's first pixel in the image.
struct detection : peak {
  double largest = 0, mean = 0, deviation = 0;
};

/// Returns places of z above the threshold, highest first. n_templates: see `search_state`.
[[nodiscard]] std::vector<detection> detections_of(const score_maps& maps, std::size_t n_templates,
                                                   const detection_request& request);

}  // namespace wingbeat::microscopy
