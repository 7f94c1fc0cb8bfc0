// SPDX-License-Identifier: Apache-2.0
#include "fengine/input_level_window.hpp"

namespace wingbeat::fengine {

bool input_level_window::pass(std::uint64_t n_samples) {
  n_passed_ += n_samples;
  return static_cast<double>(n_passed_) >= window_samples_;
}

input_level_window::level input_level_window::measure(const input_level& counts) {
  input_level of_window;
  of_window.n_samples = counts.n_samples - n_samples_;
  of_window.sum_of_squares = counts.sum_of_squares - sum_of_squares_;
  of_window.histogram.resize(counts.histogram.size());  // its size determines the full scale
  const level result{of_window.dbfs(), of_window.n_samples == n_passed_};
  n_passed_ = 0;
  n_samples_ = counts.n_samples;
  sum_of_squares_ = counts.sum_of_squares;
  return result;
}

}  // namespace wingbeat::fengine
