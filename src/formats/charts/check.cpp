// SPDX-License-Identifier: Apache-2.0
#include "formats/charts/check.hpp"

#include <algorithm>  // nth_element
#include <cmath>      // isfinite, log10, round
#include <utility>    // move

#include "formats/charts/waterfall.hpp"  // colour_range
#include "formats/files/extension.hpp"   // extension_of
#include "text/reject.hpp"               // reject
#include "wingbeat/error.hpp"            // plan_error

namespace wingbeat::formats {
namespace {

void check_series(const chart_series& series) {
  reject_if(series.x.size() != series.y.size(),
            "series '{}' has {} x and {} y values; give equally many", series.label,
            series.x.size(), series.y.size());
  for (const chart_notch& notch : series.notches) {
    if (notch.point < series.x.size()) continue;
    reject("series '{}' has {} points and a notch at point {}; count from 0", series.label,
           series.x.size(), notch.point);
  }
  const bool has_band = !series.low.empty() || !series.high.empty();
  reject_if(
      has_band && (series.low.size() != series.x.size() || series.high.size() != series.x.size()),
      "series '{}' has {} points but a band of {} low and {} high values; give equally many",
      series.label, series.x.size(), series.low.size(), series.high.size());
}

void check_range(const chart_axis& axis) {
  if (!axis.range) return;
  const auto [low, high] = *axis.range;
  const bool is_log = axis.scale != axis_scale::linear;
  reject_if(!std::isfinite(low) || !std::isfinite(high) || low >= high || (is_log && low <= 0),
            "axis '{}' cannot span {} to {}; give two finite ends in order{}", axis.label, low,
            high, is_log ? " above zero" : "");
}

/// Returns the bytes of the code point at the front, 0 if it is not valid UTF-8.
std::size_t code_point_bytes(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  const std::size_t n = lead < 0x80                   ? 1
                        : lead >= 0xC2 && lead < 0xE0 ? 2
                        : (lead & 0xF0) == 0xE0       ? 3
                        : lead >= 0xF0 && lead < 0xF5 ? 4
                                                      : 0;
  if (n == 0 || n > text.size()) return 0;
  for (std::size_t i = 1; i < n; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  if (n == 1) return lead >= 0x20 && lead != 0x7F ? 1 : 0;
  const bool is_overlong = (lead == 0xE0 && byte(1) < 0xA0) || (lead == 0xF0 && byte(1) < 0x90);
  const bool is_surrogate = lead == 0xED && byte(1) >= 0xA0;
  const bool is_too_large = lead == 0xF4 && byte(1) >= 0x90;
  return is_overlong || is_surrogate || is_too_large ? 0 : n;
}

}  // namespace

void check_chart(const line_chart& chart) {
  constexpr int least = 320;
  constexpr int most = 8192;
  for (const int pixels : {chart.width_pixels, chart.height_pixels}) {
    reject_if(pixels < least || pixels > most,
              "a chart of {} x {} pixels cannot be drawn; choose {} to {}", chart.width_pixels,
              chart.height_pixels, least, most);
  }
  check_range(chart.x);
  check_range(chart.y);
  for (const auto& series : chart.series) check_series(series);
}

chart_format chart_format_of(const std::filesystem::path& file) {
  const std::string extension = extension_of(file);
  if (extension == ".png") return chart_format::png;
  if (extension == ".svg") return chart_format::svg;
  if (extension == ".pdf") return chart_format::pdf;
  reject("cannot draw to {}; the name of a chart must end in .png, .svg or .pdf", file.string());
}

void require_chart(std::string_view option, const std::filesystem::path& file) {
  try {
    static_cast<void>(chart_format_of(file));
  } catch (const plan_error& failed) {
    reject("{}: {}", option, failed.what());
  }
  if (draws_charts()) return;
  reject("{} needs a build with charts, and this one has none; configure with WINGBEAT_PLOTS=ON",
         option);
}

std::string valid_utf8(std::string_view text) {
  std::string valid;
  while (!text.empty()) {
    const std::size_t n = code_point_bytes(text);
    valid += n == 0 ? std::string_view{"?"} : text.substr(0, n);
    text.remove_prefix(n == 0 ? 1 : n);
  }
  return valid;
}

std::vector<double> cell_means::decibels() const {
  std::vector<double> means(sums_.size());
  for (std::size_t i = 0; i < means.size(); ++i) {
    means[i] = 10 * std::log10(sums_[i] / counts_[i]);
  }
  return means;
}

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
