// SPDX-License-Identifier: Apache-2.0
// A curve of millions of points, reduced to the resolution of a screen.
#pragma once

#include <vector>

namespace wingbeat::formats {

/// A place in pixels; NaN in y interrupts the curve.
struct chart_point {
  double x;
  double y;
};

/// Collects points and keeps, of each run inside one pixel column, the first, lowest, highest and
/// last, in their order, so that the drawn line covers the same pixels.
class chart_outline {
 public:
  void add(chart_point point);

  /// Returns the kept points and starts again.
  [[nodiscard]] std::vector<chart_point> take();

 private:
  void close_column();

  std::vector<chart_point> kept_;
  std::vector<chart_point> column_;  ///< At most four: first, two extremes, last.
  double column_number_ = 0;
};

}  // namespace wingbeat::formats
