// SPDX-License-Identifier: Apache-2.0
#include "microscopy/image_filters.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>   // sqrt
#include <limits>  // numeric_limits

#include "support/refusal.hpp"  // refusal

namespace {

using namespace wingbeat::microscopy;
using namespace wingbeat::test;
using ::testing::HasSubstr;

TEST(bandpass, falls_by_a_cosine_beyond_its_cutoffs) {
  const bandpass_options band{true, 0.1, 0.3, 0.06};
  EXPECT_EQ(band.at(0.2), 1);
  EXPECT_EQ(band.at(0.3), 1);
  EXPECT_NEAR(band.at(0.07), std::sqrt(0.5), 1e-12);
  EXPECT_NEAR(band.at(0.32), std::sqrt(0.75), 1e-12);
  EXPECT_NEAR(band.at(0.34), 0.5, 1e-12);
  EXPECT_EQ(band.at(0.1), 1);
  EXPECT_EQ(band.at(0.03), 0);
  EXPECT_EQ(band.at(0.37), 0);
}

TEST(bandpass, leaves_out_its_low_cutoff_without_falloff) {
  const bandpass_options band{true, 0, 0.25, 0};
  EXPECT_EQ(band.at(0), 0);
  EXPECT_EQ(band.at(0.01), 1);
  EXPECT_EQ(band.at(0.25), 1);
  EXPECT_EQ(band.at(0.26), 0);
  EXPECT_EQ((bandpass_options{false, 0.1, 0.2, 0}).at(0.4), 1);
}

TEST(image_filters, are_the_product_of_those_asked_for) {
  const half_plane plane{8, 8};
  std::vector<std::complex<float>> bins(plane.bins(), 2);
  for (std::size_t bin = 0; bin < bins.size(); ++bin) bins[bin] += static_cast<float>(bin % 3);
  const radial_curve curve{{0, 0.8}, {2, 6}};
  const bandpass_options band{true, 0.05, 0.2, 0.4};
  const radial_curve whitening = whitening_curve(bins, plane, {});
  for (const double frequency : {0.0, 0.1, 0.3, 0.55}) {
    EXPECT_EQ(filter_of(bins, plane, {}).at(frequency), whitening.at(frequency));
    EXPECT_EQ(filter_of(bins, plane, {.whitening = {.enabled = false}}).at(frequency), 1);
    EXPECT_DOUBLE_EQ(filter_of(bins, plane, {.bandpass = band, .curve = curve}).at(frequency),
                     whitening.at(frequency) * band.at(frequency) * (2 + 5 * frequency));
  }
}

TEST(image_filters, are_refused_where_they_are_none) {
  const half_plane plane{8, 8};
  const std::vector<std::complex<float>> bins(plane.bins(), 1);
  const auto refused = [&](const filter_options& options) {
    return refusal([&] { (void)filter_of(bins, plane, options); });
  };
  constexpr double infinite = std::numeric_limits<double>::infinity();
  EXPECT_THAT(refused({.bandpass = {true, 0.3, 0.2, 0}}),
              HasSubstr("from 0.3 to 0.2 with a falloff of 0; give cycles/pixel"));
  EXPECT_THAT(refused({.bandpass = {true, -0.1, 0.2, 0}}), HasSubstr("from -0.1"));
  EXPECT_THAT(refused({.bandpass = {true, 0, infinite, 0}}), HasSubstr("to inf"));
  EXPECT_THAT(refused({.bandpass = {true, 0, 0.2, -1}}), HasSubstr("falloff of -1"));
  EXPECT_THAT(refused({.curve = radial_curve{{0.2, 0.1}, {1, 1}}}), HasSubstr("do not increase"));
}

}  // namespace
