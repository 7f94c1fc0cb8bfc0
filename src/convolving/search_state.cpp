// SPDX-License-Identifier: Apache-2.0
#include <algorithm>  // max
#include <bit>        // bit_cast
#include <cmath>      // abs, copysign, isfinite, ldexp
#include <limits>

#include "arrays/address_space.hpp"      // rounded_product
#include "convolving/scores.hpp"         // score_key
#include "request/names.hpp"             // require_known
#include "text/reject.hpp"               // reject
#include "wingbeat/template_search.hpp"  // search_state

namespace wingbeat {
namespace convolving {

float score_key::score() const {
  constexpr std::uint32_t sign = 0x80000000U;
  if (key == 0) return -std::numeric_limits<float>::infinity();
  const auto ascending = static_cast<std::uint32_t>(key >> 32);
  return std::bit_cast<float>((ascending & sign) != 0 ? ascending & ~sign : ~ascending);
}

std::uint32_t score_key::number() const {
  return no_template - static_cast<std::uint32_t>(key);
}

float reported_score(float score, bool is_normalised) {
  const bool is_beyond = is_normalised && std::isfinite(score) && std::abs(score) > 1;
  return is_beyond ? std::copysign(1.0F, score) : score;
}

}  // namespace convolving

namespace {

using convolving::score_key;

/// Adds the arrays element by element, if both states keep them.
template <class Number>
void add(std::vector<Number>& sums, const std::vector<Number>& others) {
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += others[i];
}

/// Returns the sums, or the sums of squares, of all places.
std::vector<double> moment_of(const search_state& state, bool is_of_squares) {
  const std::size_t places = state.height * state.width, first = is_of_squares ? places : 0;
  std::vector<double> values(places);
  for (std::size_t i = 0; i < places; ++i) {
    if (state.unit_sums.empty()) {
      values[i] = state.sums[first + i];
    } else if (is_of_squares) {
      values[i] = std::ldexp(static_cast<double>(state.unit_sums[first + i]),
                             -static_cast<int>(device::functors::square_log2));
    } else {
      values[i] = std::ldexp(static_cast<double>(std::bit_cast<std::int64_t>(state.unit_sums[i])),
                             -static_cast<int>(device::functors::coefficient_log2));
    }
  }
  return values;
}

/// Requires that a state's arrays, those that it keeps, have the size of its map.
void require_arrays(const search_state& state) {
  const auto require = [&](std::string_view name, std::size_t size, std::size_t planes) {
    const double expected = rounded_product({state.height, state.width, planes});
    if (size == 0 || static_cast<double>(size) == expected) return;
    reject("a state of {} x {} places has {} {}; give {} for each place, or none", state.height,
           state.width, size, name, planes);
  };
  require("keys", state.keys.size(), 1);
  require("unit_sums", state.unit_sums.size(), 2);
  require("sums", state.sums.size(), 2);
  require("counts", state.counts.size(), 1);
}

void require_alike(const search_state& a, const search_state& b) {
  reject_if((!a.sums.empty() || !b.sums.empty()) && (a.sum_unit == 0 || b.sum_unit == 0),
            "sums of plain scores depend on the order in which they are added, so that states with "
            "them cannot be merged; set is_normalised or sum_unit, or leave keeps_sums false");
  reject_if(a.height != b.height || a.width != b.width,
            "a state of {} x {} places and one of {} x {} were merged; merge "
            "those of one image, mode and size of templates",
            a.height, a.width, b.height, b.width);
  const bool are_alike = a.is_normalised == b.is_normalised && a.keys.size() == b.keys.size() &&
                         a.unit_sums.size() == b.unit_sums.size() &&
                         a.sums.size() == b.sums.size() && a.sum_unit == b.sum_unit &&
                         a.counts.size() == b.counts.size() &&
                         a.histogram.size() == b.histogram.size();
  if (are_alike) return;
  reject(
      "states of searches that keep different arrays, or of which one is normalised, were merged; "
      "give all searches one spec");
}

}  // namespace

void search_state::merge(const search_state& other) {
  require_arrays(*this);
  require_arrays(other);
  require_alike(*this, other);
  reject_if(templates + other.templates > convolving::no_template,
            "states of {} and {} templates were merged, and a search numbers {}", templates,
            other.templates, convolving::no_template);
  templates += other.templates;
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = std::max(keys[i], other.keys[i]);
  add(unit_sums, other.unit_sums);
  add(sums, other.sums);
  add(counts, other.counts);
  add(histogram, other.histogram);
}

std::vector<float> search_state::map(score_map kind) const {
  request::require_known(
      kind == score_map::largest || kind == score_map::mean || kind == score_map::variance,
      "the map", kind, "largest, mean or variance");
  require_arrays(*this);
  std::vector<float> map;
  if (kind == score_map::largest) {
    for (const std::uint64_t key : keys) {
      map.push_back(convolving::reported_score(score_key{key}.score(), is_normalised));
    }
    return map;
  }
  reject_if(sums.empty() && unit_sums.empty(), "this search keeps no moments; set keeps_sums");
  const std::vector<double> of_scores = moment_of(*this, false),
                            of_squares = moment_of(*this, true);
  const auto n = static_cast<double>(std::max<std::size_t>(templates, 1));
  for (std::size_t i = 0; i < of_scores.size(); ++i) {
    const double mean = of_scores[i] / n, square = of_squares[i] / n;
    // It is below 0 only by rounding.
    const double variance = std::max(square - mean * mean, 0.0);
    const bool has_score = templates == 0 || keys.empty() || keys[i] != 0;
    const double value = kind == score_map::mean ? mean : variance;
    map.push_back(has_score ? static_cast<float>(value) : std::numeric_limits<float>::quiet_NaN());
  }
  return map;
}

std::vector<std::uint32_t> search_state::numbers() const {
  std::vector<std::uint32_t> numbers;
  for (const std::uint64_t key : keys) numbers.push_back(score_key{key}.number());
  return numbers;
}

std::vector<peak> search_state::peaks(std::size_t most, double least, std::size_t distance) const {
  std::vector<float> scores;
  for (const std::uint64_t key : keys) scores.push_back(score_key{key}.score());
  std::vector<peak> peaks = peaks_of(scores, numbers(), width, most, least, distance);
  for (peak& each : peaks) {
    each.score = convolving::reported_score(static_cast<float>(each.score), is_normalised);
  }
  return peaks;
}

}  // namespace wingbeat
