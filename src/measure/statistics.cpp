// SPDX-License-Identifier: Apache-2.0
#include "measure/statistics.hpp"

#include <algorithm>  // min, sort
#include <cmath>      // sqrt
#include <limits>     // numeric_limits
#include <vector>

namespace wingbeat::cli {
namespace {

double quantile(const std::vector<double>& sorted, double at) {
  const double place = at * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

}  // namespace

quartiles quartiles_of(std::span<const double> values) {
  if (values.empty()) return {};
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  return {quantile(sorted, 0.25), quantile(sorted, 0.5), quantile(sorted, 0.75)};
}

double relative_confidence(std::span<const double> values) {
  constexpr double unknown = std::numeric_limits<double>::infinity();
  if (values.size() < 3) return unknown;
  const auto [low, median, high] = quartiles_of(values);
  if (!(median > 0)) return unknown;
  return 1.57 * (high - low) / (std::sqrt(static_cast<double>(values.size())) * median);
}

verdict judge(const stop_rule& rule, int n_rounds, double elapsed_s, double worst) {
  if (n_rounds >= rule.least_rounds && worst < rule.confidence) return verdict::is_confident;
  if (n_rounds >= rule.most_rounds) return verdict::out_of_rounds;
  if (elapsed_s >= rule.most_seconds) return verdict::out_of_time;
  return verdict::goes_on;
}

const char* name_of(verdict why) noexcept {
  switch (why) {
    case verdict::goes_on: break;
    case verdict::is_confident: return "confident";
    case verdict::out_of_rounds: return "rounds";
    case verdict::out_of_time: return "seconds";
  }
  return "goes on";
}

}  // namespace wingbeat::cli
