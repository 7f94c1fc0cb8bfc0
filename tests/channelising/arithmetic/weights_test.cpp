// SPDX-License-Identifier: Apache-2.0
// The filter's weights against sums that another implementation of the formula gives, and against
// the properties that the formula implies.
#include "channelising/arithmetic/weights.hpp"

#include <gtest/gtest.h>

#include <algorithm>  // max
#include <cmath>      // abs, log10
#include <complex>    // polar
#include <numbers>    // pi
#include <numeric>    // accumulate

namespace {

using namespace wingbeat;
using namespace wingbeat::channelising;

double sum_of(const std::vector<double>& weights) {
  return std::accumulate(weights.begin(), weights.end(), 0.0);
}

TEST(filter_weights, have_the_known_sums) {
  EXPECT_NEAR(sum_of(filter_weights({2 * 1024})), 46.462909, 46.46e-6);
  EXPECT_NEAR(sum_of(filter_weights({2 * 4096})), 92.925762, 92.93e-6);
  EXPECT_NEAR(sum_of(filter_weights({2 * 32768})), 262.833698, 262.8e-6);
  EXPECT_NEAR(filter_weights({2 * 1024})[1024 * 16], 0.02268249, 5e-9);
  EXPECT_NEAR(sum_of(filter_weights({2 * 1024, 1, filter_window::rectangular, 0})), 45.254834,
              1e-6);
}

TEST(filter_weights, are_symmetric_and_of_unit_energy) {
  for (const std::size_t taps : {1, 2, 7, 16}) {
    for (const auto window : {filter_window::hann, filter_window::rectangular}) {
      for (const double cutoff : {0.0, 0.9, 1.0}) {
        const auto weights = filter_weights({128, taps, window, cutoff});
        ASSERT_EQ(weights.size(), 128 * taps);
        double energy = 0;
        for (std::size_t i = 0; i < weights.size(); ++i) {
          energy += weights[i] * weights[i];
          EXPECT_NEAR(weights[i], weights[weights.size() - 1 - i], 1e-15);
        }
        EXPECT_NEAR(energy, 1, 1e-13);
        if (window == filter_window::hann) {
          EXPECT_EQ(weights[0], 0);
        }
      }
    }
  }
}

/// The response to a tone that lies `offset` channels beside a channel's centre.
double response(const std::vector<double>& weights, std::size_t step, double offset) {
  std::complex<double> sum = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const double turns = offset * static_cast<double>(i) / static_cast<double>(step);
    sum += weights[i] * std::polar(1.0, 2 * std::numbers::pi * turns);
  }
  return std::abs(sum);
}

/// The same in dB, relative to the highest response, which lies near the edge of the channel.
double response_db(const std::vector<double>& weights, std::size_t step, double offset) {
  double highest = 0;
  for (double near = 0; near < 0.5; near += 0.005) {
    highest = std::max(highest, response(weights, step, near));
  }
  return 20 * std::log10(response(weights, step, offset) / highest);
}

/// The width at a level, in channels: twice the offset at which the response falls to it.
double width_at(double level_db, const std::vector<double>& weights, std::size_t step) {
  double below = 0, above = 2;
  for (int i = 0; i < 20; ++i) {
    const double middle = (below + above) / 2;
    (response_db(weights, step, middle) > level_db ? below : above) = middle;
  }
  return 2 * below;
}

TEST(filter_weights, shape_channels_as_they_are_known_to) {
  constexpr std::size_t step = 2 * 64;
  const auto usual = filter_weights({step});
  EXPECT_NEAR(width_at(-3, usual, step), 0.9446, 5e-4);
  EXPECT_NEAR(width_at(-6, usual, step), 0.9989, 5e-4);
  EXPECT_NEAR(width_at(-53, usual, step), 1.3022, 5e-4);
  EXPECT_NEAR(response_db(usual, step, 0.5), -6.08, 0.02);
  for (double offset = 1; offset < 8; offset += 0.0625) {
    EXPECT_LT(response_db(usual, step, offset), -80) << offset;
  }
  const auto narrow = filter_weights({step, 16, filter_window::hann, 0.9});
  EXPECT_NEAR(width_at(-3, narrow, step), 0.8446, 5e-4);
}

}  // namespace
