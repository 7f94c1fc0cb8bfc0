// SPDX-License-Identifier: Apache-2.0
// Label: unit
// Timeout: 600
#include "random_plans/expect_right.hpp"
#include "support/full_run.hpp"  // is_full_run

namespace {

TEST(random_plans, are_right_on_host) {
  const std::uint64_t count = wingbeat::test::is_full_run() ? 400 : 120;
  wingbeat::test::expect_right(wingbeat::engine::host, count,
                               {.has_mixed_lengths = true, .has_functors = true});
}

}  // namespace
