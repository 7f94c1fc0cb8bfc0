// SPDX-License-Identifier: Apache-2.0
// Label: unit
// Timeout: 120
#include "expect_lawful.hpp"

namespace {

TEST(reference_engine, obeys_every_law) {
  wingbeat::test::expect_lawful(wingbeat::engine::reference, {.min_log2 = 1, .max_log2 = 11});
}

}  // namespace
