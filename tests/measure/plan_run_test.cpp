// SPDX-License-Identifier: Apache-2.0
// Times of a run: the first run, at which a driver may compile, is never among them.
#include "measure/plan_run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using namespace wingbeat::measure;
using ::testing::Each;
using ::testing::SizeIs;

/// Runs whose first takes `first_s` and each other `other_s`.
plan_measurement counted(const repetition& repeat, double first_s, double other_s, int& n_calls) {
  plan_measurement m;
  n_calls = 0;
  count_runs(m, repeat, [&] {
    const double execution_s = n_calls++ == 0 ? first_s : other_s;
    return run_times{execution_s, 2 * execution_s};
  });
  return m;
}

TEST(count_runs, leaves_out_the_first_run_however_long_it_took) {
  int n_calls = 0;
  for (const double first_s : {1e-3, 1.12, 3600.0}) {
    const plan_measurement m = counted({.n_runs = 5, .budget_s = 1}, first_s, 3e-4, n_calls);
    EXPECT_EQ(n_calls, 6) << first_s;
    EXPECT_EQ(m.first_run_s, first_s);
    EXPECT_THAT(m.execution_s, SizeIs(5)) << first_s;
    EXPECT_THAT(m.execution_s, Each(3e-4)) << first_s;
    EXPECT_THAT(m.transfer_s, Each(6e-4)) << first_s;
  }
}

TEST(count_runs, begins_no_run_beyond_the_budget_but_counts_one) {
  int n_calls = 0;
  EXPECT_THAT(counted({.n_runs = 5, .budget_s = 1}, 1.2, 0.4, n_calls).execution_s, SizeIs(3));
  EXPECT_THAT(counted({.n_runs = 5, .budget_s = 1}, 9, 7, n_calls).execution_s, SizeIs(1));
  EXPECT_EQ(n_calls, 2);
  EXPECT_THAT(counted({.n_runs = 5}, 9, 7, n_calls).execution_s, SizeIs(5));
}

TEST(count_runs, counts_none_where_none_is_asked_for) {
  int n_calls = 0;
  const plan_measurement m = counted({.n_runs = 0}, 1, 1, n_calls);
  EXPECT_EQ(n_calls, 1);
  EXPECT_THAT(m.execution_s, SizeIs(0));
  EXPECT_THAT(m.transfer_s, SizeIs(0));
}

}  // namespace
