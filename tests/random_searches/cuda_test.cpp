// SPDX-License-Identifier: Apache-2.0
// Label: gpu
// Timeout: 600
#include "random_searches/expect_right.hpp"

namespace {

TEST(random_searches, are_right_on_cuda) {
  wingbeat::test::expect_right_searches(wingbeat::engine::cuda, /*count=*/100);
}

}  // namespace
