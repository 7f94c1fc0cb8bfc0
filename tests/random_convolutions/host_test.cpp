// SPDX-License-Identifier: Apache-2.0
// Label: unit
// Timeout: 600
#include "random_convolutions/expect_right.hpp"

namespace {

TEST(random_convolutions, are_right_on_host) {
  wingbeat::test::expect_right_convolutions(wingbeat::engine::host, /*count=*/400);
}

}  // namespace
