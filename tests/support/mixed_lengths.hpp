// SPDX-License-Identifier: Apache-2.0
// Plans of lengths that are no powers of two, of every kind, on one engine.
#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "support/environment.hpp"   // from_environment
#include "support/full_run.hpp"      // cases_on, is_full_run
#include "support/plan_check.hpp"    // expect_right_plan
#include "wingbeat/good_length.hpp"  // is_good_length
#include "wingbeat/queue.hpp"        // queue

namespace wingbeat::test {

/// Returns every `step`-th good length from `first` to `last` that is no power of two; in full runs
/// every `full_step`-th. Full runs can be shared out: of WINGBEAT_TEST_PARTS parts, this process
/// takes the one of number WINGBEAT_TEST_PART, from 0.
inline std::vector<std::size_t> mixed_lengths(std::size_t first, std::size_t last, std::size_t step,
                                              std::size_t full_step = 1) {
  std::size_t skipped = 0;
  if (is_full_run()) {
    step = full_step * from_environment("WINGBEAT_TEST_PARTS", 1);
    skipped = full_step * from_environment("WINGBEAT_TEST_PART", 0);
  }
  std::vector<std::size_t> result, chosen;
  for (std::size_t n = first; n <= last; ++n) {
    if (is_good_length(n) && (n & (n - 1)) != 0) result.push_back(n);
  }
  for (std::size_t i = skipped; i < result.size(); i += step) chosen.push_back(result[i]);
  return chosen;
}

/// Complex rows and reals, in both directions; on engines that do not run all cases, two kinds.
inline std::vector<transform> kinds_on(const queue& on) {
  return cases_on<transform>(on.device().runs_on,
                             {transform::inverse, transform::forward_from_real},
                             {transform::forward, transform::inverse_to_real});
}

inline void expect_right_rows(queue& on, std::size_t n, std::size_t batch, precision real) {
  for (const transform kind : kinds_on(on)) {
    expect_right_plan(on, {.lengths = {n}, .batch = batch, .kind = kind, .real = real});
  }
}

}  // namespace wingbeat::test
