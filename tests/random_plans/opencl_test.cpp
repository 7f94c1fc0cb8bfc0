// SPDX-License-Identifier: Apache-2.0
// Label: opencl
// Timeout: 900
#include "random_plans/expect_right.hpp"

namespace {

TEST(random_plans, are_right_on_opencl) {
  wingbeat::test::expect_right(wingbeat::engine::opencl, /*count=*/8,
                               {.has_mixed_lengths = true, .has_functors = true});
}

}  // namespace
