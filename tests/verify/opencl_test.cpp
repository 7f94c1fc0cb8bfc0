// SPDX-License-Identifier: Apache-2.0
// Label: opencl
// Timeout: 900
#include "expect_lawful.hpp"

namespace {

TEST(opencl_engine, obeys_every_law) {
  wingbeat::test::expect_lawful(wingbeat::engine::opencl, {.min_log2 = 1, .max_log2 = 10});
}

}  // namespace
