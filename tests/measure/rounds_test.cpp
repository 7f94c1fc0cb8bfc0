// SPDX-License-Identifier: Apache-2.0
// Runs that take turns: their order, how often a turn repeats, and when the rounds end.
#include "measure/rounds.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace {

using namespace wingbeat::measure;

/// A run that takes `s` seconds and appends its name to `log` at each of its turns.
timed_run logged(const std::string& name, double s, std::string& log) {
  return {name, [name, s, &log](std::size_t n_runs) {
            log += name;
            return s * static_cast<double>(n_runs);
          }};
}

TEST(rounds, take_turns_one_after_another) {
  std::string log;
  std::vector<timed_run> result{logged("a", 2e-3, log), logged("b", 4e-3, log)};
  take_turns(result, 3);
  EXPECT_EQ(log,
            "aabb"
            "ab"
            "ab"
            "ab");  // two to warm each up
  EXPECT_EQ(result[0].seconds, (std::vector<double>{2e-3, 2e-3, 2e-3}));
  EXPECT_EQ(result[1].median_s(), 4e-3);
}

TEST(rounds, repeat_a_short_run_until_the_turn_is_long) {
  std::vector<std::size_t> turns;
  std::vector<timed_run> result{{"short", [&](std::size_t n_runs) {
                                   turns.push_back(n_runs);
                                   return 1e-5 * static_cast<double>(n_runs);
                                 }}};
  take_turns(result, 1, 2e-3);
  EXPECT_EQ(turns.back(), 200U);
  EXPECT_NEAR(result[0].seconds.front(), 1e-5, 1e-12);
}

TEST(rounds, time_as_many_calls_as_a_queue_takes_without_waiting) {
  EXPECT_EQ(calls_per_turn(0), 100U);
  EXPECT_EQ(calls_per_turn(1e-6), 100U);
  EXPECT_EQ(calls_per_turn(1e-3), 50U);
  EXPECT_EQ(calls_per_turn(1e-3, 2e-3), 2U);
  EXPECT_EQ(calls_per_turn(10), 1U);
}

TEST(rounds, stop_when_the_median_of_every_run_is_known_well_enough) {
  std::string log;
  int n_rounds = 0;
  double noise = 0.5;
  std::vector<timed_run> result{logged("steady", 1, log),
                                {"noisy", [&](std::size_t n_runs) {
                                   noise = -noise;
                                   return (n_rounds < 20 ? 1 + noise : 1) * double(n_runs);
                                 }}};
  const auto ended = take_turns(result, {5, 1000, 1e9, 0.01}, 1e-3, [&] { ++n_rounds; });
  EXPECT_EQ(ended, stop_reason::confident);
  EXPECT_GT(n_rounds, 20);  // the steady one alone would have stopped at 5
  EXPECT_LT(n_rounds, 1000);
}

}  // namespace
