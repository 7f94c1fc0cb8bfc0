// SPDX-License-Identifier: Apache-2.0
// Label: opencl
// Timeout: 900
// Short lengths; long_opencl_test.cpp has the others.
#include "expect_lawful.hpp"

namespace {

TEST(opencl_engine, obeys_every_law) {
  wingbeat::test::expect_lawful(wingbeat::engine::opencl, {.min_log2 = 1, .max_log2 = 7});
}

}  // namespace
