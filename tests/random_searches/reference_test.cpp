// SPDX-License-Identifier: Apache-2.0
// Label: unit
// Timeout: 600
#include "random_searches/expect_right.hpp"

namespace {

TEST(random_searches, are_right_on_reference) {
  wingbeat::test::expect_right_searches(wingbeat::engine::reference, /*count=*/30);
}

}  // namespace
