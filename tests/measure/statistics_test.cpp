// SPDX-License-Identifier: Apache-2.0
// What times say, and when measuring stops: with times made up, so that the answer is known.
#include "measure/statistics.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "measure/rounds.hpp"  // entrant, take_turns

namespace {

using namespace wingbeat::cli;

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
  EXPECT_EQ(judge(rule, 4, 0, 0.001), verdict::goes_on);
  EXPECT_EQ(judge(rule, 5, 0, 0.02), verdict::goes_on);
  EXPECT_EQ(judge(rule, 5, 0, 0.001), verdict::is_confident);
}

TEST(stop_rule, stops_out_of_rounds_or_time) {
  const stop_rule rule{5, 100, 10, 0.01};
  EXPECT_EQ(judge(rule, 99, 9.9, 1), verdict::goes_on);
  EXPECT_EQ(judge(rule, 100, 0, 1), verdict::out_of_rounds);
  EXPECT_EQ(judge(rule, 3, 10, 1), verdict::out_of_time);
}

TEST(stop_rule, a_confidence_of_zero_runs_all_rounds) {
  const stop_rule rule{5, 8, 10, 0};
  EXPECT_EQ(judge(rule, 7, 0, 0), verdict::goes_on);
  EXPECT_EQ(judge(rule, 8, 0, 0), verdict::out_of_rounds);
}

/// An entrant that takes `s` a run and says in `log` when its turns are.
entrant told(const std::string& name, double s, std::string& log) {
  return {name, [name, s, &log](std::size_t n_runs) {
            log += name;
            return s * static_cast<double>(n_runs);
          }};
}

TEST(rounds, take_turns_one_after_another) {
  std::string log;
  std::vector<entrant> all{told("a", 2e-3, log), told("b", 4e-3, log)};
  take_turns(all, 3);
  EXPECT_EQ(log,
            "aabb"
            "ab"
            "ab"
            "ab");  // two to warm each up
  EXPECT_EQ(all[0].seconds, (std::vector<double>{2e-3, 2e-3, 2e-3}));
  EXPECT_EQ(all[1].median_s(), 4e-3);
}

TEST(rounds, repeat_what_is_short_until_a_turn_is_long) {
  std::vector<std::size_t> asked;
  std::vector<entrant> all{{"short", [&](std::size_t n_runs) {
                              asked.push_back(n_runs);
                              return 1e-5 * static_cast<double>(n_runs);
                            }}};
  take_turns(all, 1, 2e-3);
  EXPECT_EQ(asked.back(), 200U);
  EXPECT_NEAR(all[0].seconds.front(), 1e-5, 1e-12);
}

TEST(rounds, stop_when_every_entrant_is_known_well_enough) {
  std::string log;
  int n_rounds = 0;
  double noise = 0.5;
  std::vector<entrant> all{told("steady", 1, log), {"noisy", [&](std::size_t n_runs) {
                                                      noise = -noise;
                                                      return (n_rounds < 20 ? 1 + noise : 1) *
                                                             double(n_runs);
                                                    }}};
  const auto ended = take_turns(all, {5, 1000, 1e9, 0.01}, 1e-3, [&] { ++n_rounds; });
  EXPECT_EQ(ended, verdict::is_confident);
  EXPECT_GT(n_rounds, 20);  // the steady one alone would have stopped at 5
  EXPECT_LT(n_rounds, 1000);
}

}  // namespace
