// SPDX-License-Identifier: Apache-2.0
#include "cli/reports/expected.hpp"

#include <cmath>  // abs, hypot
#include <map>
#include <nlohmann/json.hpp>

#include "text/formatted.hpp"  // formatted

namespace wingbeat::cli {
namespace {

/// Shares are 0 and the distance is not a number where there is nothing to divide by.
struct summary {
  std::size_t n_found = 0;
  double recall = 0, precision = 0, mean_distance = 0;

  summary(std::span<const expected_place> places, std::size_t n_peaks) {
    for (const expected_place& place : places) {
      if (place.rank) ++n_found;
      mean_distance += place.distance;
    }
    const auto found = static_cast<double>(n_found);
    if (!places.empty()) recall = found / static_cast<double>(places.size());
    if (n_peaks > 0) precision = found / static_cast<double>(n_peaks);
    if (n_found > 0) mean_distance /= found;
  }
};

}  // namespace

std::vector<expected_place> find_expected(std::span<const formats::image_place> places,
                                          std::span<const searching::located_peak> peaks,
                                          const peak_frame& frame, double reach) {
  std::vector<expected_place> expected;
  std::multimap<double, std::size_t> missed;  // by y
  for (const formats::image_place& place : places) {
    missed.emplace(place.y, expected.size());
    expected.push_back({place.y, place.x});
  }
  for (std::size_t rank = 0; rank < peaks.size(); ++rank) {
    const auto [y, x] = centre_of(peaks[rank], frame);
    auto nearest = missed.end();
    double least = 0;
    for (auto place = missed.upper_bound(y - reach);
         place != missed.end() && place->first < y + reach; ++place) {
      const double dx = expected[place->second].x - x, distance = std::hypot(place->first - y, dx);
      if (std::abs(dx) >= reach || (nearest != missed.end() && distance >= least)) continue;
      nearest = place;
      least = distance;
    }
    if (nearest == missed.end()) continue;
    expected[nearest->second].rank = rank;
    expected[nearest->second].distance = least;
    missed.erase(nearest);
  }
  return expected;
}

std::string expected_text(std::span<const expected_place> places, std::size_t n_peaks) {
  const summary shares{places, n_peaks};
  return formatted(
      "{} of {} places found (recall {:.3g}), {} of {} peaks expected (precision {:.3g}){}",
      shares.n_found, places.size(), shares.recall, shares.n_found, n_peaks, shares.precision,
      shares.n_found > 0 ? formatted(", mean distance {:.3g} pixels", shares.mean_distance) : "");
}

std::string expected_json(std::span<const expected_place> places, std::size_t n_peaks) {
  const summary shares{places, n_peaks};
  nlohmann::ordered_json document{{"recall", shares.recall},
                                  {"precision", shares.precision},
                                  {"mean_distance", shares.mean_distance},
                                  {"places", nlohmann::ordered_json::array()}};
  for (const expected_place& place : places) {
    nlohmann::ordered_json entry{{"y", place.y}, {"x", place.x}, {"rank", nullptr}};
    if (place.rank) {
      entry["rank"] = *place.rank + 1;
      entry["distance"] = place.distance;
    }
    document["places"].push_back(std::move(entry));
  }
  return document.dump();
}

}  // namespace wingbeat::cli
