// SPDX-License-Identifier: Apache-2.0
// Label: opencl
// Filtered images against torch-fourier-filter 0.6.0, and against sums by definition.
#include "microscopy/micrograph.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>    // sqrt
#include <limits>   // numeric_limits
#include <numbers>  // pi

#include "support/on_engine.hpp"  // on_engine, all_engines, engine_name
#include "support/refusal.hpp"    // refusal

namespace {

using namespace wingbeat;
using namespace wingbeat::microscopy;
using namespace wingbeat::test;
using ::testing::HasSubstr;
using complex = std::complex<double>;

std::vector<float> example(std::size_t pixels) {
  std::vector<float> image;
  for (std::size_t i = 0; i < pixels; ++i) {
    image.push_back(static_cast<float>((i * i * 7 + i * 3) % 31));
  }
  return image;
}

const filter_options all_filters{
    .whitening = {.num_freq_bins = 9, .max_freq = 0.4, .do_power_spectrum = false},
    .bandpass = {true, 0.1, 0.35, 0.05},
    .curve = radial_curve{{0.05, 0.2, 0.45}, {1.5, 0.5, 2}}};

/// Sums over all bins of the whole plane.
std::vector<double> by_definition(const std::vector<float>& image, std::size_t height,
                                  std::size_t width, const radial_filter& filter) {
  const auto wave = [&](std::size_t ky, std::size_t kx, std::size_t i, double sign) {
    const auto h = static_cast<double>(height), w = static_cast<double>(width);
    const double turns = static_cast<double>(ky * (i / width) % height) / h +
                         static_cast<double>(kx * (i % width) % width) / w;
    return std::polar(1.0, sign * 2 * std::numbers::pi * turns);
  };
  const auto frequency = [](std::size_t k, std::size_t n) {
    const auto bin = static_cast<double>(k), length = static_cast<double>(n);
    return std::min(bin, length - bin) / length;
  };
  std::vector<double> result(image.size());
  double power = 0, n = 0;
  for (std::size_t k = 0; k < image.size(); ++k) {
    const std::size_t ky = k / width, kx = k % width;
    const double radius = std::hypot(frequency(ky, height), frequency(kx, width));
    n += filter.bandpass.at(radius);
    complex bin = 0;
    for (std::size_t i = 0; i < image.size(); ++i) bin += wave(ky, kx, i, -1) * double{image[i]};
    bin *= k == 0 ? 0 : filter.at(radius);
    power += std::norm(bin);
    for (std::size_t i = 0; i < image.size(); ++i) {
      result[i] += (bin * wave(ky, kx, i, 1)).real() / static_cast<double>(image.size());
    }
  }
  for (double& value : result) value *= std::sqrt(n / power);
  return result;
}

class micrograph_on : public on_engine {
 protected:
  void expect_pixels(const filter_options& options, const std::array<double, 4>& expected) {
    const auto found = filtered_micrograph(*on, example(12 * 16), 12, 16, options);
    constexpr std::size_t places[] = {0, 3 * 16 + 5, 11 * 16 + 15, 6 * 16 + 8};
    for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(found.values[places[i]], expected[i], 1e-6);
  }
};

TEST_P(micrograph_on, agrees_with_torch_fourier_filter) {
  expect_pixels({}, {-0.1460659, -0.0120739, -0.0911861, -0.0192969});
  expect_pixels(all_filters, {-0.0524568, 0.0759706, -0.0285847, -0.0289415});
  expect_pixels({.whitening = {.max_freq = {}}}, {-0.1395028, 0.0090249, -0.0861669, -0.0055947});
  const auto filter = filtered_micrograph(*on, example(12 * 16), 12, 16, all_filters).filter;
  // Bins (1, 1) and (6, 1) of a template of 8 x 8 pixels.
  EXPECT_NEAR(filter.at(std::hypot(1.0, 1.0) / 8), 0.2381373, 1e-6);
  EXPECT_NEAR(filter.at(std::hypot(2.0, 1.0) / 8), 0.4061275, 1e-6);
}

TEST_P(micrograph_on, is_filtered_by_definition_at_any_lengths) {
  for (const auto& [height, width] : std::vector<std::pair<std::size_t, std::size_t>>{
           {12, 16}, {9, 15}, {11, 8}, {8, 13}, {1, 17}, {17, 1}}) {
    for (const filter_options& options : {filter_options{}, all_filters}) {
      const auto image = example(height * width);
      const auto found = filtered_micrograph(*on, image, height, width, options);
      const auto expected = by_definition(image, height, width, found.filter);
      ASSERT_EQ(found.values.size(), image.size());
      for (std::size_t i = 0; i < image.size(); ++i) {
        EXPECT_NEAR(found.values[i], expected[i], 2e-6) << height << "x" << width << " " << i;
      }
    }
  }
}

TEST_P(micrograph_on, has_a_norm_of_1_and_no_mean_whatever_the_unit) {
  const auto image = example(30 * 21);
  const auto found = filtered_micrograph(*on, image, 30, 21, {});
  double sum = 0, squares = 0;
  for (const float value : found.values) sum += value, squares += double{value} * value;
  EXPECT_NEAR(sum, 0, 1e-5);
  EXPECT_NEAR(squares, 1, 1e-5);
  for (const auto& [scale, offset] :
       std::vector<std::pair<float, float>>{{1e36F, 0.0F}, {1e-36F, 0.0F}, {1.0F, 4096.0F}}) {
    auto other = image;
    for (float& value : other) value = value * scale + offset;
    const auto again = filtered_micrograph(*on, other, 30, 21, {});
    for (std::size_t i = 0; i < image.size(); ++i) {
      EXPECT_NEAR(again.values[i], found.values[i], 2e-6) << scale << " " << i;
    }
  }
}

TEST_P(micrograph_on, has_no_power_at_frequency_0) {
  // No other bin adds to the curve's first point, where the mean's rounding would look like power.
  auto image = example(16 * 16);
  for (float& value : image) value = value / 3 + 100;
  EXPECT_EQ(filtered_micrograph(*on, image, 16, 16, {}).filter.at(0), 0);
}

TEST_P(micrograph_on, is_refused_without_numbers_or_variation) {
  const auto refused = [&](std::vector<float> image, std::size_t height, std::size_t width,
                           const filter_options& options = {}) {
    return refusal([&] { (void)filtered_micrograph(*on, image, height, width, options); });
  };
  auto image = example(48);
  EXPECT_THAT(refused(image, 6, 7), HasSubstr("48 values was given as 6 x 7"));
  EXPECT_THAT(refused({}, 0, 7), HasSubstr("at least 1"));
  EXPECT_THAT(refused(std::vector<float>(48, 3), 6, 8), HasSubstr("is 3 everywhere"));
  EXPECT_THAT(
      refused(image, 6, 8, {.whitening = {.enabled = false}, .bandpass = {true, 0.8, 0.9, 0}}),
      HasSubstr("leave nothing"));
  image[13] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THAT(refused(image, 6, 8), HasSubstr("nan at y 1, x 5; give finite values"));
}

INSTANTIATE_TEST_SUITE_P(each, micrograph_on, all_engines(), engine_name);

}  // namespace
