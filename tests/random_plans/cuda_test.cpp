// SPDX-License-Identifier: Apache-2.0
// Label: gpu
// Timeout: 900
#include "random_plans/expect_right.hpp"

namespace {

TEST(random_plans, are_right_on_cuda) {
  wingbeat::test::expect_right(wingbeat::engine::cuda, /*count=*/1000,
                               {.has_mixed_lengths = true, .has_functors = true});
}

}  // namespace
