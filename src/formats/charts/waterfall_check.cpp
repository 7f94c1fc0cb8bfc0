// SPDX-License-Identifier: Apache-2.0
// The parts of a waterfall that need no picture.
#include <algorithm>  // nth_element
#include <cmath>      // isfinite, round
#include <utility>    // move

#include "formats/charts/waterfall.hpp"

namespace wingbeat::formats {

std::pair<double, double> colour_range(std::vector<double> values) {
  std::erase_if(values, [](double value) { return !std::isfinite(value); });
  if (values.empty()) return {0, 1};
  const auto value_at = [&](double percentile) {
    const double place = std::round(percentile / 100 * static_cast<double>(values.size() - 1));
    const auto nth = values.begin() + static_cast<std::ptrdiff_t>(place);
    std::nth_element(values.begin(), nth, values.end());
    return *nth;
  };
  const double low = value_at(lowest_percentile), high = value_at(highest_percentile);
  return high > low ? std::pair{low, high} : std::pair{low - 1, low + 1};
}

std::pair<double, double> colour_range(const waterfall_chart& chart) {
  std::vector<double> values;
  for (const waterfall_panel& panel : chart.panels) {
    values.insert(values.end(), panel.values.begin(), panel.values.end());
  }
  return colour_range(std::move(values));
}

}  // namespace wingbeat::formats
