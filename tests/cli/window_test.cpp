// SPDX-License-Identifier: Apache-2.0
// Label: cli
// Windows against what is known of them: coherent gain, noise bandwidth, the formulas.
#include "cli/window.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>  // accumulate

namespace {

using namespace wingbeat::cli;

double sum_of(const std::vector<double>& w) {
  return std::accumulate(w.begin(), w.end(), 0.0);
}

/// F. J. Harris, On the use of windows for harmonic analysis, table 1, and the mean a0 of each.
TEST(window, has_its_gain_and_noise_bandwidth) {
  struct known {
    window shape;
    double gain, bandwidth_bins;
  };
  for (const auto& [shape, gain, bandwidth] : {known{window::rectangular, 1, 1},
                                               {window::hann, 0.5, 1.5},
                                               {window::hamming, 0.54, 1.3628},
                                               {window::blackman, 0.42, 1.7268},
                                               {window::blackman_harris, 0.35875, 2.0044},
                                               {window::flat_top, 0.21557895, 3.7702}}) {
    for (const std::size_t n : {64, 75}) {
      const auto w = samples_of(shape, n);
      EXPECT_NEAR(sum_of(w) / static_cast<double>(n), gain, 1e-12) << name_of(shape);
      EXPECT_NEAR(noise_bandwidth_bins(w), bandwidth, 1e-4) << name_of(shape);
    }
  }
}

TEST(window, is_periodic) {
  const auto hann = samples_of(window::hann, 8);
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_NEAR(hann[i], std::pow(std::sin(std::acos(-1.0) * static_cast<double>(i) / 8), 2),
                1e-15);
  }
  for (const auto shape :
       {window::hamming, window::blackman, window::blackman_harris, window::flat_top}) {
    const auto w = samples_of(shape, 10);
    EXPECT_NEAR(w[5], 1, 1e-8) << "the middle";
    for (std::size_t i = 1; i < 10; ++i) EXPECT_DOUBLE_EQ(w[i], w[10 - i]);
  }
  EXPECT_NEAR(samples_of(window::blackman, 10)[0], 0, 1e-16);
}

}  // namespace
