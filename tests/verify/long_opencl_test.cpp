// SPDX-License-Identifier: Apache-2.0
// Label: slow
// Timeout: 1800
// The lengths that opencl_test.cpp leaves out.
#include "verify/expect_lawful.hpp"

namespace {

TEST(long_opencl_engine, obeys_every_law) {
  wingbeat::test::expect_lawful(wingbeat::engine::opencl, {.min_log2 = 8, .max_log2 = 10});
}

}  // namespace
