// SPDX-License-Identifier: Apache-2.0
#include "microscopy/detections.hpp"

#include <cmath>    // erfc, exp, log, nextafter, sqrt
#include <numbers>  // inv_sqrtpi, sqrt2

#include "text/reject.hpp"  // reject_if

namespace wingbeat::microscopy {
namespace {

/// Returns x with erfc(x) = p, for p from 1e-300 to 1. Newton's steps on log erfc, which is
/// concave, come from above, where erfc(x) < exp(-x^2), without overshooting.
double inverse_erfc(double p) {
  double x = std::sqrt(-std::log(p));
  for (int i = 0; i < 60; ++i) {
    const double tail = std::erfc(x);
    const double slope = -2 * std::numbers::inv_sqrtpi * std::exp(-x * x) / tail;
    x -= (std::log(tail) - std::log(p)) / slope;
  }
  return x;
}

}  // namespace

search_space::point search_space::at(std::size_t number) const {
  const std::size_t n = n_filters(), filter = number % n;
  reject_if(number / n >= orientations.count(),
            "template {} is none of {} orientations with {} filters; give a "
            "number that this search has kept",
            number, orientations.count(), n);
  return {orientations.angles(number / n), defocus_offsets[filter % defocus_offsets.size()],
          spherical_aberrations[filter / defocus_offsets.size()]};
}

std::size_t search_space::leopard_number(std::size_t number) const {
  return number % n_filters() * orientations.count() +
         orientations.leopard_number(number / n_filters());
}

score_maps maps_of(const search_state& state) {
  score_maps maps{state.height,
                  state.width,
                  state.map(score_map::largest),
                  state.map(score_map::mean),
                  state.map(score_map::variance),
                  {},
                  state.numbers()};
  maps.z.resize(maps.largest.size());
  for (std::size_t i = 0; i < maps.z.size(); ++i) {
    float& deviation = maps.deviation[i];
    deviation = std::sqrt(deviation);
    if (deviation > 0) maps.z[i] = (maps.largest[i] - maps.mean[i]) / deviation;
  }
  return maps;
}

double threshold_of(double false_positives, double n_scores) {
  reject_if(!(false_positives > 0) || !(2 * false_positives <= n_scores) || !(n_scores < 1e300),
            "{} false positives are expected of {} scores; give a number above "
            "0 and at most half of them",
            false_positives, n_scores);
  return std::numbers::sqrt2 * inverse_erfc(2 * false_positives / n_scores);
}

std::vector<detection> detections_of(const score_maps& maps, std::size_t n_templates,
                                     const detection_request& request) {
  const double n_scores = static_cast<double>(maps.z.size()) * static_cast<double>(n_templates);
  const double threshold =
      request.threshold ? *request.threshold : threshold_of(request.false_positives, n_scores);
  // Peaks reach their least score; detections are above the threshold.
  const double least = std::nextafter(threshold, std::numeric_limits<double>::infinity());
  std::vector<detection> result;
  for (const peak& each :
       separated_peaks(maps.z, maps.numbers, maps.width, request.most, least, request.radius)) {
    const std::size_t place = each.y * maps.width + each.x;
    result.push_back({each, maps.largest[place], maps.mean[place], maps.deviation[place]});
  }
  return result;
}

}  // namespace wingbeat::microscopy
