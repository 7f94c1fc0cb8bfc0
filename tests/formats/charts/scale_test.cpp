// SPDX-License-Identifier: Apache-2.0
#include "formats/charts/scale.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>  // adjacent_find
#include <cmath>

namespace {

using namespace wingbeat::formats;
using ::testing::ElementsAre;

std::vector<std::string> labels(const chart_scale& scale, int n_wanted) {
  std::vector<std::string> found;
  for (const auto& tick : scale.ticks(n_wanted)) {
    if (!tick.label.empty()) found.push_back(tick.label);
  }
  return found;
}

TEST(chart_scale, places_linear_and_logarithmic_values) {
  const chart_scale linear(axis_scale::linear, -10, 30);
  EXPECT_DOUBLE_EQ(linear.place_of(-10), 0);
  EXPECT_DOUBLE_EQ(linear.place_of(0), 0.25);
  EXPECT_DOUBLE_EQ(linear.place_of(50), 1.5);
  EXPECT_DOUBLE_EQ(chart_scale(axis_scale::log2, 2, 32).place_of(8), 0.5);
  EXPECT_DOUBLE_EQ(chart_scale(axis_scale::log10, 1e-6, 1).place_of(1e-3), 0.5);
}

TEST(chart_scale, has_no_place_for_what_cannot_be_drawn) {
  const chart_scale linear(axis_scale::linear, 0, 1);
  const chart_scale log(axis_scale::log10, 1, 10);
  EXPECT_TRUE(linear.has_place_for(-1));
  EXPECT_FALSE(linear.has_place_for(std::nan("")));
  EXPECT_FALSE(linear.has_place_for(INFINITY));
  EXPECT_FALSE(log.has_place_for(0));
  EXPECT_FALSE(log.has_place_for(-1));
}

TEST(chart_scale, labels_linear_axes_with_round_numbers) {
  EXPECT_THAT(labels({axis_scale::linear, 0, 1}, 5),
              ElementsAre("0", "0.2", "0.4", "0.6", "0.8", "1.0"));
  EXPECT_THAT(labels({axis_scale::linear, -120, 20}, 4), ElementsAre("−100", "−50", "0"));
  EXPECT_THAT(labels({axis_scale::linear, 0, 24000}, 5),
              ElementsAre("0", "5k", "10k", "15k", "20k"));
  EXPECT_THAT(labels({axis_scale::linear, 0, 3e-6}, 3), ElementsAre("0", "1µ", "2µ", "3µ"));
}

TEST(chart_scale, labels_have_the_unit_with_a_prefix_where_there_is_one) {
  EXPECT_THAT(labels({axis_scale::linear, 0, 856e6, "Hz"}, 5),
              ElementsAre("0", "200 MHz", "400 MHz", "600 MHz", "800 MHz"));
  EXPECT_THAT(labels({axis_scale::linear, 0, 0.2, "s"}, 4),
              ElementsAre("0", "50 ms", "100 ms", "150 ms", "200 ms"));
  EXPECT_THAT(labels({axis_scale::linear, -600, 500, "Hz"}, 3),
              ElementsAre("−500 Hz", "0", "500 Hz"));
  EXPECT_THAT(labels({axis_scale::linear, 0, 3600, "s"}, 2), ElementsAre("0", "2000 s"));
  EXPECT_THAT(labels({axis_scale::log10, 1e-6, 1e-2, "s"}, 8),
              ElementsAre("1 µs", "10 µs", "100 µs", "1 ms", "10 ms"));
  const auto sky = chart_scale(axis_scale::linear, 1.2839e9, 1.2841e9, "Hz").with_room();
  EXPECT_THAT(labels(sky, 2), ElementsAre("1.2839 GHz", "1.2840 GHz", "1.2841 GHz"));
}

TEST(chart_scale, labels_stay_short_beyond_every_prefix) {
  EXPECT_THAT(labels({axis_scale::linear, 0, 2e300}, 2), ElementsAre("0", "1e+300", "2e+300"));
  EXPECT_THAT(labels({axis_scale::linear, 0, 2e-30}, 2), ElementsAre("0", "1e-30", "2e-30"));
}

TEST(chart_scale, labels_of_a_narrow_range_differ) {
  for (const double low : {1e6, -1e6, 1e-3, 12345.0}) {
    auto found = labels({axis_scale::linear, low, low + std::abs(low) * 1e-9}, 5);
    EXPECT_GE(found.size(), 3u);
    EXPECT_EQ(std::adjacent_find(found.begin(), found.end()), found.end()) << found[0];
  }
}

TEST(chart_scale, labels_logarithmic_axes_with_powers) {
  EXPECT_THAT(labels({axis_scale::log2, 2, 16}, 10), ElementsAre("2¹", "2²", "2³", "2⁴"));
  EXPECT_THAT(labels({axis_scale::log2, 2, 1 << 20}, 5),
              ElementsAre("2⁴", "2⁸", "2¹²", "2¹⁶", "2²⁰"));
  EXPECT_THAT(labels({axis_scale::log10, 1e-6, 1e-3}, 10),
              ElementsAre("10⁻⁶", "10⁻⁵", "10⁻⁴", "10⁻³"));
  EXPECT_THAT(labels({axis_scale::log10, 1, 40}, 10), ElementsAre("1", "2", "5", "10", "20"));
}

TEST(chart_scale, labels_a_logarithmic_axis_inside_one_decade) {
  EXPECT_GE(labels({axis_scale::log10, 3, 4}, 5).size(), 2u);
  EXPECT_GE(labels({axis_scale::log2, 3, 3.5}, 5).size(), 2u);
}

TEST(chart_scale, keeps_every_tick_inside) {
  for (const auto kind : {axis_scale::linear, axis_scale::log2, axis_scale::log10}) {
    for (const double high : {2.0, 7.0, 99.0, 1e4, 1e9}) {
      const chart_scale scale(kind, 0.7, high);
      const auto ticks = scale.ticks(8);
      EXPECT_GE(ticks.size(), 2u);
      for (const auto& tick : ticks) {
        EXPECT_GE(scale.place_of(tick.value), -1e-6);
        EXPECT_LE(scale.place_of(tick.value), 1 + 1e-6);
      }
    }
  }
}

TEST(chart_scale, opens_up_around_one_value_or_none) {
  const chart_scale one(axis_scale::linear, 5, 5);
  EXPECT_LT(one.low(), 5);
  EXPECT_GT(one.high(), 5);
  const chart_scale none(axis_scale::log10, std::nan(""), std::nan(""));
  EXPECT_LT(none.low(), none.high());
}

TEST(chart_scale, makes_room_outwards) {
  const auto linear = chart_scale(axis_scale::linear, -3, 97).with_room();
  EXPECT_LE(linear.low(), -3);
  EXPECT_GE(linear.high(), 97);
  const auto log = chart_scale(axis_scale::log10, 1, 100).with_room();
  EXPECT_LT(log.low(), 1);
  EXPECT_GT(log.high(), 100);
}

}  // namespace
