// SPDX-License-Identifier: Apache-2.0
// Waterfalls as PNG, SVG or PDF files: numbers over two axes, as colours, a panel for each of
// several signals.
#pragma once

#include <cstddef>  // size_t
#include <filesystem>
#include <string>
#include <utility>  // pair
#include <vector>

namespace wingbeat::formats {

struct waterfall_panel {
  std::string label = {};           ///< Above it; empty: none.
  std::vector<double> values = {};  ///< [row][column]; NaN stays blank, -infinity is dark.
};

/// A waterfall, said in full before it is drawn; its panels share axes and colours. Text is UTF-8.
struct waterfall_chart {
  std::string title = {};
  std::string x_label = {}, y_label = {}, value_label = {};  ///< With units that ticks lack.
  std::string x_unit = {}, y_unit = {};                      ///< Of SI: ticks have it.
  std::pair<double, double> x = {0, 1};  ///< Left edge of the first column, right of the last.
  std::pair<double, double> y = {0, 1};  ///< Lower edge of the first row, upper of the last.
  bool has_rows_downwards = false;       ///< y grows from the top, as in an image.
  std::size_t n_columns = 0, n_rows = 0;
  std::vector<waterfall_panel> panels = {};
  int width_pixels = 1280;
  int height_pixels = 720;
};

/// The hundredths of all finite values that lie below the first and below the last colour.
inline constexpr double lowest_percentile = 1, highest_percentile = 99.9;

/// Returns the values that the first and the last colour stand for: those at the percentiles above,
/// so that few outliers do not take the colours. Without finite values, or where all are equal, the
/// range is not empty.
[[nodiscard]] std::pair<double, double> colour_range(std::vector<double> values);
[[nodiscard]] std::pair<double, double> colour_range(const waterfall_chart& chart);

/// Draws the chart in the format that the file's name ends in: .png, .svg or .pdf. Throws
/// `plan_error` for a chart that contradicts itself, another name or a build without charts, and
/// `file_error` if the file cannot be written; it appears whole or not at all.
void write_chart(const std::filesystem::path& file, const waterfall_chart& chart);

}  // namespace wingbeat::formats
