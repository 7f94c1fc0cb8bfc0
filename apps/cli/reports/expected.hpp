// SPDX-License-Identifier: Apache-2.0
// Peaks compared with the places where they were expected.
#pragma once

#include <cstddef>  // size_t
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/reports/peaks.hpp"      // peak_frame
#include "formats/images/places.hpp"  // image_place
#include "searching/peaks.hpp"        // located_peak

namespace wingbeat::cli {

/// An expected place, and the peak that lies there.
struct expected_place {
  double y = 0, x = 0;
  std::optional<std::size_t> rank = {};  ///< Of the peak, from 0; unset: the place is missed.
  double distance = 0;                   ///< In pixels.
};

/// Gives each peak, highest first, the nearest place that is closer than `reach` in both y and x
/// and that no other peak has.
[[nodiscard]] std::vector<expected_place> find_expected(
    std::span<const formats::image_place> places, std::span<const searching::located_peak> peaks,
    const peak_frame& frame, double reach);

/// Returns "2 of 3 places found (recall 0.667), 2 of 4 peaks expected (precision 0.5), mean
/// distance 0.7 pixels".
[[nodiscard]] std::string expected_text(std::span<const expected_place> places,
                                        std::size_t n_peaks);

/// Returns the same as JSON: {"recall": 0.667, "precision": 0.5, "mean_distance": 0.7, "places":
/// [{"y": 12.5, "x": 7.25, "rank": 1, "distance": 0.3}]}; ranks count from 1, and are null of
/// missed places.
[[nodiscard]] std::string expected_json(std::span<const expected_place> places,
                                        std::size_t n_peaks);

}  // namespace wingbeat::cli
