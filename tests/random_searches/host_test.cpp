// SPDX-License-Identifier: Apache-2.0
// Label: unit
// Timeout: 600
#include "random_searches/expect_right.hpp"

namespace {

TEST(random_searches, are_right_on_host) {
  wingbeat::test::expect_right_searches(wingbeat::engine::host, /*count=*/120);
}

}  // namespace
