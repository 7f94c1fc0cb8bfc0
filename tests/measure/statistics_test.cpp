// SPDX-License-Identifier: Apache-2.0
// Statistics of made-up times, and when measuring stops.
#include "measure/statistics.hpp"

#include <gtest/gtest.h>

#include <cmath>  // isinf
#include <vector>

namespace {

using namespace wingbeat::measure;

TEST(statistics, quartiles_lie_between_neighbours) {
  const std::vector<double> odd{5, 1, 3, 2, 4};
  EXPECT_EQ(quartiles_of(odd).low, 2);
  EXPECT_EQ(quartiles_of(odd).median, 3);
  EXPECT_EQ(quartiles_of(odd).high, 4);
  const std::vector<double> even{4, 1, 2, 3};
  EXPECT_EQ(quartiles_of(even).low, 1.75);
  EXPECT_EQ(quartiles_of(even).median, 2.5);
  EXPECT_EQ(quartiles_of(even).high, 3.25);
  EXPECT_EQ(quartiles_of(std::vector<double>{7}).median, 7);
  EXPECT_EQ(quartiles_of({}).median, 0);
}

TEST(statistics, one_wild_time_moves_no_median) {
  const std::vector<double> calm{1, 1, 1, 1, 1}, wild{1, 1, 1e9, 1, 1};
  EXPECT_EQ(quartiles_of(wild).median, quartiles_of(calm).median);
  EXPECT_EQ(quartiles_of(wild).high, 1);
}

TEST(statistics, confidence_is_the_notch_of_a_box_plot) {
  // Quartiles 1.75 and 3.25 of four values: 1.57 * 1.5 / (2 * 2.5).
  EXPECT_DOUBLE_EQ(relative_confidence(std::vector<double>{4, 1, 2, 3}), 0.471);
  EXPECT_EQ(relative_confidence(std::vector<double>{2, 2, 2}), 0);
}

TEST(statistics, confidence_is_unknown_of_few_values_or_of_no_time) {
  EXPECT_TRUE(std::isinf(relative_confidence(std::vector<double>{1, 1})));
  EXPECT_TRUE(std::isinf(relative_confidence(std::vector<double>{0, 0, 0})));
}

TEST(statistics, confidence_grows_with_the_root_of_the_rounds) {
  std::vector<double> few, many;
  for (int i = 0; i < 25; ++i) few.push_back(1 + 0.01 * (i % 5));
  for (int i = 0; i < 400; ++i) many.push_back(1 + 0.01 * (i % 5));
  EXPECT_NEAR(relative_confidence(few) / relative_confidence(many), 4, 0.01);
}

TEST(stop_rule, stops_when_confident_but_not_before_the_least_rounds) {
  const stop_rule rule{5, 100, 10, 0.01};
  EXPECT_EQ(stop_reason_of(rule, 4, 0, 0.001), stop_reason::none);
  EXPECT_EQ(stop_reason_of(rule, 5, 0, 0.02), stop_reason::none);
  EXPECT_EQ(stop_reason_of(rule, 5, 0, 0.001), stop_reason::confident);
}

TEST(stop_rule, stops_out_of_rounds_or_time) {
  const stop_rule rule{5, 100, 10, 0.01};
  EXPECT_EQ(stop_reason_of(rule, 99, 9.9, 1), stop_reason::none);
  EXPECT_EQ(stop_reason_of(rule, 100, 0, 1), stop_reason::out_of_rounds);
  EXPECT_EQ(stop_reason_of(rule, 3, 10, 1), stop_reason::out_of_time);
}

TEST(stop_rule, a_confidence_of_zero_runs_all_rounds) {
  const stop_rule rule{5, 8, 10, 0};
  EXPECT_EQ(stop_reason_of(rule, 7, 0, 0), stop_reason::none);
  EXPECT_EQ(stop_reason_of(rule, 8, 0, 0), stop_reason::out_of_rounds);
}

TEST(stop_reason, is_named_after_the_limit) {
  EXPECT_STREQ(name_of(stop_reason::confident), "confident");
  EXPECT_STREQ(name_of(stop_reason::out_of_rounds), "rounds");
  EXPECT_STREQ(name_of(stop_reason::out_of_time), "seconds");
}

TEST(spread, is_the_mean_and_the_extremes) {
  const auto [mean, min, max] = spread_of(std::vector<double>{3, 1, 5});
  EXPECT_EQ(mean, 3);
  EXPECT_EQ(min, 1);
  EXPECT_EQ(max, 5);
  EXPECT_EQ(spread_of({}).max, 0);
}

}  // namespace
