// SPDX-License-Identifier: Apache-2.0
// Label: unit
// Timeout: 120
#include "expect_lawful.hpp"

namespace {

TEST(host_engine, obeys_every_law) {
  wingbeat::test::expect_lawful(wingbeat::engine::host, {.min_log2 = 1, .max_log2 = 13});
}

}  // namespace
