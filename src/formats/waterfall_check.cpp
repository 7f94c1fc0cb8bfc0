// SPDX-License-Identifier: Apache-2.0
// What a waterfall needs no picture for.
#include <algorithm>  // nth_element
#include <cmath>      // isfinite

#include "formats/waterfall.hpp"

namespace wingbeat::formats {

std::pair<double, double> colour_range(const waterfall_chart& what) {
  std::vector<double> finite;
  for (const waterfall_panel& panel : what.panels) {
    for (const double value : panel.values) {
      if (std::isfinite(value)) finite.push_back(value);
    }
  }
  if (finite.empty()) return {0, 1};
  const auto at = [&](std::size_t place) {
    const auto nth = finite.begin() + static_cast<std::ptrdiff_t>(place);
    std::nth_element(finite.begin(), nth, finite.end());
    return *nth;
  };
  const double low = at(finite.size() / 100);
  const double high = at(finite.size() - 1 - finite.size() / 1000);
  return high > low ? std::pair{low, high} : std::pair{low - 1, low + 1};
}

}  // namespace wingbeat::formats
