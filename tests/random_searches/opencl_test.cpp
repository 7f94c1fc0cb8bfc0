// SPDX-License-Identifier: Apache-2.0
// Label: opencl
// Timeout: 600
#include "random_searches/expect_right.hpp"

namespace {

TEST(random_searches, are_right_on_opencl) {
  wingbeat::test::expect_right_searches(wingbeat::engine::opencl, /*count=*/2);
}

}  // namespace
