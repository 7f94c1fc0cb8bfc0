// SPDX-License-Identifier: Apache-2.0
// Sending at a steady rate: units (bytes, samples) are due at times, and a late sender does not
// catch up at once.
#pragma once

#include <chrono>
#include <cmath>    // floor
#include <cstddef>  // size_t

namespace wingbeat::transmit {

class pacer {
 public:
  using clock = std::chrono::steady_clock;

  static constexpr std::chrono::milliseconds max_lag{2};

  /// 0 units per second: no pacing. If units are sent late, at most `lag` of the delay is caught
  /// up.
  explicit pacer(double units_per_second, clock::duration lag = max_lag)
      : units_per_second_(units_per_second), max_lag_(lag) {}

  /// Returns when the next `n_units` units may be sent.
  [[nodiscard]] clock::time_point due(std::size_t n_units, clock::time_point time) {
    if (units_per_second_ <= 0) return time;
    if (next_ == clock::time_point{}) next_ = time;
    if (next_ < time - max_lag_) {
      lost_ += time - max_lag_ - next_;
      next_ = time - max_lag_;
    }
    const clock::time_point result = next_;
    // Takes whole ticks of the clock; the rest counts next time, so that the rate is exact.
    const double ticks = static_cast<double>(n_units) / units_per_second_ *
                             static_cast<double>(clock::period::den) /
                             static_cast<double>(clock::period::num) +
                         rest_ticks_;
    rest_ticks_ = ticks - std::floor(ticks);
    next_ += clock::duration(static_cast<clock::rep>(std::floor(ticks)));
    return result;
  }

  /// Returns the sum of all delays that were not caught up.
  [[nodiscard]] clock::duration lost() const { return lost_; }

 private:
  double units_per_second_;
  clock::duration max_lag_, lost_{};
  clock::time_point next_{};
  double rest_ticks_ = 0;
};

}  // namespace wingbeat::transmit
