// SPDX-License-Identifier: Apache-2.0
// Waterfalls as PNG, SVG or PDF files: numbers over two axes as colours, with a panel per signal.
#pragma once

#include <cstddef>  // size_t
#include <filesystem>
#include <string>
#include <utility>  // pair
#include <vector>

namespace wingbeat::formats {

struct waterfall_panel {
  std::string label = {};           ///< Above the panel; empty: none.
  std::vector<double> values = {};  ///< [row][column]; NaN stays blank, -infinity is dark.
};

/// A complete description of a waterfall, whose panels share axes and colours. Text is UTF-8.
struct waterfall_chart {
  std::string title = {};
  std::string x_label = {}, y_label = {}, value_label = {};  ///< With the units that ticks do not
                                                             ///< show.
  std::string x_unit = {}, y_unit = {};                      ///< SI units, shown by ticks.
  std::pair<double, double> x = {0, 1};  ///< Left edge of the first column, right of the last.
  std::pair<double, double> y = {0, 1};  ///< Lower edge of the first row, upper of the last.
  bool has_rows_downwards = false;       ///< y grows from the top, as in an image.
  std::size_t n_columns = 0, n_rows = 0;
  std::vector<waterfall_panel> panels = {};
  int width_pixels = 1280;
  int height_pixels = 720;
};

/// Means of powers in the cells of a picture.
class cell_means {
 public:
  cell_means(std::size_t n_rows, std::size_t n_columns)
      : n_columns_(n_columns), sums_(n_rows * n_columns), counts_(n_rows * n_columns) {}

  void add(std::size_t row, std::size_t column, double power) {
    sums_[row * n_columns_ + column] += power;
    ++counts_[row * n_columns_ + column];
  }

  /// Returns [row][column] in dB: -infinity for silence.
  [[nodiscard]] std::vector<double> decibels() const;

 private:
  std::size_t n_columns_;
  std::vector<double> sums_, counts_;
};

/// The percentages of all finite values below the first and below the last colour.
inline constexpr double lowest_percentile = 1, highest_percentile = 99.9;

/// Returns the values of the first and the last colour: those at the percentiles above, so that a
/// few outliers do not use up the colours. The range is not empty even without finite values, or if
/// all are equal.
[[nodiscard]] std::pair<double, double> colour_range(std::vector<double> values);
[[nodiscard]] std::pair<double, double> colour_range(const waterfall_chart& chart);

/// Draws the chart in the format of the file's extension: .png, .svg or .pdf. Throws `plan_error`
/// for a chart that contradicts itself, another extension or a build without charts, and
/// `file_error` if the file cannot be written; it appears whole or not at all.
void write_chart(const std::filesystem::path& file, const waterfall_chart& chart);

}  // namespace wingbeat::formats
