// SPDX-License-Identifier: Apache-2.0
// Label: unit
// Timeout: 600
#include "expect_right.hpp"

namespace {

TEST(random_plans, are_right_on_reference) {
  wingbeat::test::expect_right(wingbeat::engine::reference, /*count=*/100,
                               {.has_mixed_lengths = true, .has_functors = true});
}

}  // namespace
