// SPDX-License-Identifier: Apache-2.0
// Stands in for chart.cpp in a build without cairo.
#include "formats/chart.hpp"
#include "wingbeat/error.hpp"  // plan_error

namespace wingbeat::formats {

bool draws_charts() noexcept {
  return false;
}

void write_png(const std::filesystem::path& file, const line_chart&) {
  throw plan_error(file.string() +
                   " cannot be drawn: this build draws no charts; build it with WINGBEAT_PLOTS=ON");
}

}  // namespace wingbeat::formats
