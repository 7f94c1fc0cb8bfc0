// SPDX-License-Identifier: Apache-2.0
// Line charts as PNG, SVG or PDF files, for spectra of millions of bins and for speed tests.
#pragma once

#include <cstddef>  // size_t
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>  // pair
#include <vector>

namespace wingbeat::formats {

enum class axis_scale { linear, log2, log10 };

/// One axis. Without a range, it spans the data.
struct chart_axis {
  std::string label = {};  ///< With its unit, "power (dB re 1 unit²)", unless `unit` states it.
  axis_scale scale = axis_scale::linear;
  std::optional<std::pair<double, double>> range = {};
  std::string unit = {};  ///< SI unit such as "Hz"; ticks show it with a prefix: "200 MHz".
};

/// A short upright tick across a curve at one of its points, with a text above it.
struct chart_notch {
  std::size_t point = 0;  ///< Index into the series' x and y.
  std::string label = {};
};

/// One curve. A point that is not finite, or not above zero on a logarithmic axis, is a gap.
struct chart_series {
  std::string label = {};  ///< Its name in the legend; empty: not in the legend.
  std::vector<double> x = {};
  std::vector<double> y = {};
  std::vector<double> low = {};   ///< Lower edge of a band around the curve; empty: no band.
  std::vector<double> high = {};  ///< Upper edge; as long as `low`.
  bool has_markers = false;       ///< A dot at every point.
  std::vector<chart_notch> notches = {};
};

/// A dashed vertical line with a text.
struct chart_mark {
  double x = 0;
  std::string label = {};
};

/// A complete description of a chart. Text is UTF-8.
struct line_chart {
  std::string title = {};
  chart_axis x = {};
  chart_axis y = {};
  std::vector<chart_series> series = {};
  std::vector<chart_mark> marks = {};
  int width_pixels = 1280;
  int height_pixels = 720;
};

/// Returns whether this build draws charts (CMake option WINGBEAT_PLOTS).
[[nodiscard]] bool draws_charts() noexcept;

/// Throws a `plan_error` that begins with `option` unless this build draws charts and the file's
/// name ends in .png, .svg or .pdf.
void require_chart(std::string_view option, const std::filesystem::path& file);

/// Draws the chart in the format of the file's extension: .png, .svg or .pdf. A curve of more
/// points than pixels keeps the extremes of every pixel column.
/// Throws `plan_error` for a chart that contradicts itself, another extension or a build without
/// charts, and `file_error` if the file cannot be written; the file appears whole or not at all.
void write_chart(const std::filesystem::path& file, const line_chart& chart);

}  // namespace wingbeat::formats
