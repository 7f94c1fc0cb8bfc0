// SPDX-License-Identifier: Apache-2.0
// Label: opencl
// Timeout: 900
// One short length, in a full run all; long_opencl_test.cpp has the others.
#include "support/full_run.hpp"  // is_full_run
#include "verify/expect_lawful.hpp"

namespace {

TEST(opencl_engine, obeys_every_law) {
  using wingbeat::engine;
  if (wingbeat::test::is_full_run()) {
    wingbeat::test::expect_lawful(engine::opencl, {.min_log2 = 1, .max_log2 = 7});
    wingbeat::test::expect_lawful(engine::opencl, {.min_log2 = 3, .max_log2 = 5},
                                  wingbeat::test::kinds_of_reals(true));
  } else {
    wingbeat::test::expect_lawful(engine::opencl, {.min_log2 = 4, .max_log2 = 4});
    wingbeat::test::expect_lawful(engine::opencl, {.min_log2 = 4, .max_log2 = 4},
                                  {wingbeat::transform::dct2});
  }
}

}  // namespace
