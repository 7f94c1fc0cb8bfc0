// SPDX-License-Identifier: Apache-2.0
// Maps values to places along an axis, and chooses ticks.
#pragma once

#include <string>
#include <vector>

#include "formats/charts/chart.hpp"  // axis_scale

namespace wingbeat::formats {

/// A grid line; without a label, a minor one.
struct chart_tick {
  double value;
  std::string label;
};

/// An axis with its ends decided.
class chart_scale {
 public:
  /// Spans low..high; equal or absent ends are moved apart. Logarithmic ends must be above zero.
  /// Labels of ticks end in the unit with an SI prefix; seconds have no prefix above 1.
  chart_scale(axis_scale kind, double low, double high, std::string unit = {});

  /// Returns the same axis with ends moved outwards, so that no curve touches the frame.
  [[nodiscard]] chart_scale with_room() const;

  /// Returns whether the value has a place: finite, and above zero if the axis is logarithmic.
  [[nodiscard]] bool has_place_for(double value) const;

  /// Returns 0 at the low end and 1 at the high end.
  [[nodiscard]] double place_of(double value) const;

  /// Returns about `n_wanted` labelled ticks inside the axis, and minor ones between them.
  [[nodiscard]] std::vector<chart_tick> ticks(int n_wanted) const;

  [[nodiscard]] double low() const { return low_; }
  [[nodiscard]] double high() const { return high_; }

 private:
  [[nodiscard]] std::vector<chart_tick> linear_ticks(int n_wanted) const;
  [[nodiscard]] std::vector<chart_tick> power_ticks(int n_wanted) const;
  void add_minor_ticks(std::vector<chart_tick>& ticks, int exponent, bool is_labelled) const;
  [[nodiscard]] double log_of(double value) const;

  axis_scale kind_;
  double low_;
  double high_;
  std::string unit_;
};

}  // namespace wingbeat::formats
