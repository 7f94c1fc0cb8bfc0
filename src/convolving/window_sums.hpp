// SPDX-License-Identifier: Apache-2.0
// Sums over windows of rows that arrive one by one. Nothing is subtracted, so a sum is as accurate
// as its own terms, and a large value affects only windows that contain it.
#pragma once

#include <cstddef>  // size_t
#include <vector>

namespace wingbeat::convolving {

/// Sums over h x w values, of several arrays at once.
class window_sums {
 public:
  /// Takes rows of `width` values of `n_arrays` arrays.
  window_sums(std::size_t width, std::size_t window_height, std::size_t window_width,
              std::size_t n_arrays);

  /// Returns where to write the next row of an array; `push` consumes it.
  [[nodiscard]] double* row(std::size_t array) { return rows_.data() + array * width_; }

  /// Takes the row. Returns whether there are sums: from row `window_height` on, for each row.
  bool push();

  /// The sums of the windows that end with the latest row.  [array][width - window_width + 1]
  [[nodiscard]] const double* sums(std::size_t array) const {
    return sums_.data() + array * n_across();
  }

  /// Forgets all rows.
  void clear() { n_rows_ = 0; }

 private:
  [[nodiscard]] std::size_t n_across() const { return width_ - window_width_ + 1; }
  void sum_across(double* values, double* total) const;

  void (*add_)(double* sums, const double* terms, std::size_t count);
  std::size_t width_, window_height_, window_width_, n_arrays_;
  std::size_t n_rows_ = 0;
  std::vector<double> rows_;  // [array][width]
  /// Row i of the latest window_height rows; once this block is full, the sum of its rows from i
  /// on.  [i][array][n_across]
  std::vector<double> block_;
  std::vector<double> before_;  // the sum of the rows of an incomplete block
  std::vector<double> sums_;
};

}  // namespace wingbeat::convolving
