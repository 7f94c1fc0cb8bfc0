// SPDX-License-Identifier: Apache-2.0
// Stands in for chart.cpp and waterfall.cpp in a build without cairo.
#include "formats/charts/chart.hpp"
#include "formats/charts/waterfall.hpp"
#include "formats/files/refusal.hpp"  // refuse_absent

namespace wingbeat::formats {

bool draws_charts() noexcept {
  return false;
}

void write_chart(const std::filesystem::path& file, const line_chart&) {
  refuse_absent(file.string(), "drawn", "cairo; build it with WINGBEAT_PLOTS=ON");
}

void write_chart(const std::filesystem::path& file, const waterfall_chart&) {
  refuse_absent(file.string(), "drawn", "cairo; build it with WINGBEAT_PLOTS=ON");
}

}  // namespace wingbeat::formats
