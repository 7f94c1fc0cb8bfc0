// SPDX-License-Identifier: Apache-2.0
#include "measure/statistics.hpp"

#include <algorithm>  // min, minmax_element, sort
#include <cmath>      // sqrt
#include <limits>     // numeric_limits
#include <numeric>    // accumulate
#include <vector>

namespace wingbeat::measure {
namespace {

double quantile(const std::vector<double>& sorted, double fraction) {
  const double position = fraction * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (position - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

}  // namespace

quartiles quartiles_of(std::span<const double> values) {
  if (values.empty()) return {};
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  return {quantile(sorted, 0.25), quantile(sorted, 0.5), quantile(sorted, 0.75)};
}

spread spread_of(std::span<const double> values) {
  if (values.empty()) return {};
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  return {sum / static_cast<double>(values.size()), *low, *high};
}

double relative_confidence(std::span<const double> values) {
  constexpr double unknown = std::numeric_limits<double>::infinity();
  if (values.size() < 3) return unknown;
  const auto [low, median, high] = quartiles_of(values);
  if (!(median > 0)) return unknown;
  return 1.57 * (high - low) / (std::sqrt(static_cast<double>(values.size())) * median);
}

stop_reason stop_reason_of(const stop_rule& rule, int n_rounds, double elapsed_s,
                           double worst_confidence) {
  if (n_rounds >= rule.min_rounds && worst_confidence < rule.confidence) {
    return stop_reason::confident;
  }
  if (n_rounds >= rule.max_rounds) return stop_reason::out_of_rounds;
  if (elapsed_s >= rule.max_seconds) return stop_reason::out_of_time;
  return stop_reason::none;
}

const char* name_of(stop_reason reason) noexcept {
  switch (reason) {
    case stop_reason::none: break;
    case stop_reason::confident: return "confident";
    case stop_reason::out_of_rounds: return "rounds";
    case stop_reason::out_of_time: return "seconds";
  }
  return "none";
}

}  // namespace wingbeat::measure
