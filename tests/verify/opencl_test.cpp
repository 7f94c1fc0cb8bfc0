// SPDX-License-Identifier: Apache-2.0
// Label: opencl
// Timeout: 900
// One short length and a kind of each sort, in a full run all; long_opencl_test.cpp has the others.
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
    using wingbeat::transform;
    wingbeat::test::expect_lawful(engine::opencl, {.min_log2 = 4, .max_log2 = 4},
                                  {transform::forward, transform::inverse_to_real,
                                   transform::dct2});  // a round trip runs the opposite
    wingbeat::test::expect_lawful(engine::opencl, {.listed = {13}}, {transform::inverse_to_real});
  }
}

}  // namespace
