// SPDX-License-Identifier: Apache-2.0
// The level of an input over windows of about a second, from counts that only grow.
#pragma once

#include <cstdint>  // uint64_t

#include "wingbeat/channeliser.hpp"  // input_level

namespace wingbeat::fengine {

class input_level_window {
 public:
  explicit input_level_window(double window_samples) : window_samples_(window_samples) {}

  struct level {
    double dbfs = 0;
    bool is_whole = true;  ///< No sample of the window is missing.
  };

  /// Returns whether a window ends after these samples; then call `measure`.
  [[nodiscard]] bool pass(std::uint64_t n_samples);

  /// Returns the level of the window that has ended, and begins the next one.
  [[nodiscard]] level measure(const input_level& counts);

 private:
  double window_samples_;
  std::uint64_t n_passed_ = 0, n_samples_ = 0, sum_of_squares_ = 0;
};

}  // namespace wingbeat::fengine
