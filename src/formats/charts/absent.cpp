// SPDX-License-Identifier: Apache-2.0
// Stands in for chart.cpp and waterfall.cpp in a build without cairo.
#include "formats/charts/chart.hpp"
#include "formats/charts/waterfall.hpp"
#include "wingbeat/error.hpp"  // plan_error

namespace wingbeat::formats {

bool draws_charts() noexcept {
  return false;
}

namespace {

[[noreturn]] void refuse_to_draw(const std::filesystem::path& file) {
  throw plan_error(file.string() +
                   " cannot be drawn: this build draws no charts; build it with WINGBEAT_PLOTS=ON");
}

}  // namespace

void write_chart(const std::filesystem::path& file, const line_chart&) {
  refuse_to_draw(file);
}

void write_chart(const std::filesystem::path& file, const waterfall_chart&) {
  refuse_to_draw(file);
}

}  // namespace wingbeat::formats
