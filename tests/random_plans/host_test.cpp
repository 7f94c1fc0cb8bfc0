// SPDX-License-Identifier: Apache-2.0
// Label: unit
// Timeout: 600
#include "random_plans/expect_right.hpp"

namespace {

TEST(random_plans, are_right_on_host) {
  wingbeat::test::expect_right(wingbeat::engine::host, /*count=*/200,
                               {.has_mixed_lengths = true, .has_functors = true});
}

}  // namespace
