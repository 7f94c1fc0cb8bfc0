// SPDX-License-Identifier: Apache-2.0
// Whitening curves against their definition, point by point.
#include "microscopy/whitening.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>  // max
#include <cmath>      // abs, sqrt
#include <limits>     // numeric_limits

#include "support/refusal.hpp"  // refusal

namespace {

using namespace wingbeat::microscopy;
using namespace wingbeat::test;
using ::testing::HasSubstr;
using spectrum = std::vector<std::complex<float>>;

spectrum random_spectrum(const half_plane& plane) {
  spectrum bins;
  for (std::size_t bin = 0; bin < plane.bins(); ++bin) {
    const auto i = static_cast<float>(bin);
    bins.emplace_back(bin == 0 ? 0 : 3 + std::sin(i * i), std::cos(7 * i) / (1 + i));
  }
  return bins;
}

/// Every point's mean over all bins, weighted by triangles, as one formula.
std::vector<double> by_definition(const spectrum& bins, const half_plane& plane, std::size_t points,
                                  double max_freq, bool is_squared) {
  const double step = std::sqrt(0.5) / static_cast<double>(points - 1);
  std::vector<double> curve;
  double largest = 0;
  for (std::size_t i = 0; i < points; ++i) {
    const double frequency = static_cast<double>(i) * step;
    double sum = 0, weights = 0;
    for (std::size_t bin = 0; bin < bins.size(); ++bin) {
      const double weight = std::max(0.0, 1 - std::abs(plane.radius(bin) - frequency) / step);
      const double power = std::norm(std::complex<double>{bins[bin]});
      sum += weight * (is_squared ? power : std::sqrt(power));
      weights += weight;
    }
    const double mean = weights < 1e-9 ? 0 : sum / weights;
    curve.push_back(mean == 0 ? 0 : 1 / (is_squared ? std::sqrt(mean) : mean));
    if (frequency <= max_freq) largest = std::max(largest, curve.back());
  }
  for (std::size_t i = 0; i < points; ++i) {
    curve[i] = static_cast<double>(i) * step > max_freq ? 1 : curve[i] / largest;
  }
  return curve;
}

TEST(whitening, averages_power_about_each_point) {
  for (const half_plane plane : {half_plane{12, 16}, half_plane{9, 15}, half_plane{20, 7}}) {
    const spectrum bins = random_spectrum(plane);
    for (const bool is_squared : {true, false}) {
      for (const std::size_t points : {7, 40}) {
        for (const double max_freq : {0.3, 0.5, 1.0}) {
          const auto curve = whitening_curve(
              bins, plane,
              {.num_freq_bins = points, .max_freq = max_freq, .do_power_spectrum = is_squared});
          const auto expected = by_definition(bins, plane, points, max_freq, is_squared);
          ASSERT_EQ(curve.values.size(), points);
          for (std::size_t i = 0; i < points; ++i) {
            EXPECT_NEAR(curve.values[i], expected[i], 1e-7) << points << " " << i;
          }
        }
      }
    }
  }
}

TEST(whitening, has_a_point_for_each_step_of_frequencies) {
  // int((max(12, 9) / 2 + 1) sqrt 2 + 1), and for 4096 pixels.
  const half_plane plane{12, 16}, tall{4096, 16};
  const auto curve = whitening_curve(random_spectrum(plane), plane, {});
  EXPECT_EQ(curve.frequencies.size(), 10U);
  EXPECT_EQ(curve.frequencies.front(), 0);
  EXPECT_DOUBLE_EQ(curve.frequencies.back(), std::sqrt(0.5));
  EXPECT_EQ(whitening_curve(random_spectrum(tall), tall, {}).values.size(), 2898U);
}

TEST(whitening, flattens_a_spectrum_that_falls) {
  const half_plane plane{64, 64};
  spectrum bins;
  for (std::size_t bin = 0; bin < plane.bins(); ++bin) {
    bins.emplace_back(static_cast<float>(1 / (1 + 20 * plane.radius(bin))));
  }
  const auto curve = whitening_curve(bins, plane, {.max_freq = {}});
  const double flat = curve.at(0.375) * std::abs(bins[24]);
  for (std::size_t bin = 2; bin < plane.bins() - 1; ++bin) {
    if (plane.radius(bin) > 0.1 && plane.radius(bin) < 0.7) {
      EXPECT_NEAR(curve.at(plane.radius(bin)) * std::abs(bins[bin]), flat, 0.01 * flat) << bin;
    }
  }
}

TEST(radial_curve, is_linear_between_points_and_1_outside) {
  const radial_curve curve{{0.1, 0.2, 0.4}, {3, 5, 0}};
  EXPECT_EQ(curve.at(0.05), 1);
  EXPECT_EQ(curve.at(0.1), 3);
  EXPECT_DOUBLE_EQ(curve.at(0.15), 4);
  EXPECT_DOUBLE_EQ(curve.at(0.2), 5);
  EXPECT_DOUBLE_EQ(curve.at(0.35), 1.25);
  EXPECT_EQ(curve.at(0.4), 1);
}

TEST(radial_curve, is_refused_unless_its_frequencies_increase) {
  const auto refused = [](const radial_curve& curve) {
    return refusal([&] { require_valid(curve); });
  };
  constexpr double infinite = std::numeric_limits<double>::infinity();
  EXPECT_EQ(refused({{0, 0.5}, {1, 2}}), nothing_refused);
  EXPECT_THAT(refused({{0}, {1}}), HasSubstr("1 frequencies and 1 values"));
  EXPECT_THAT(refused({{0, 1}, {1}}), HasSubstr("give as many of both"));
  EXPECT_THAT(refused({{0, 0}, {1, 1}}), HasSubstr("do not increase"));
  EXPECT_THAT(refused({{0, 0.1}, {1, infinite}}), HasSubstr("no numbers"));
}

TEST(whitening, is_refused_without_points_or_power) {
  const half_plane plane{8, 8};
  const auto refused = [&](const whitening_options& options, float power) {
    return refusal([&] { (void)whitening_curve(spectrum(plane.bins(), power), plane, options); });
  };
  EXPECT_THAT(refused({.num_freq_bins = 1}, 1), HasSubstr("num_freq_bins is 1; choose from 2"));
  EXPECT_THAT(refused({.max_freq = 0}, 1), HasSubstr("max_freq is 0; give cycles/pixel above 0"));
  EXPECT_THAT(refused({}, 0), HasSubstr("no power"));
}

}  // namespace
