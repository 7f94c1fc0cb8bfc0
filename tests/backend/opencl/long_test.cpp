// SPDX-License-Identifier: Apache-2.0
// Label: slow
// Timeout: 1800
// The lengths that compiled_plan_test leaves out, up to the longest: the largest single passes, and
// several.
#include <gtest/gtest.h>

#include "backend/engine_plan_check.hpp"  // check_length, check_batches, check_impulses
#include "support/on_engine.hpp"          // on_engine, engine_name

namespace {

using namespace wingbeat;
using namespace wingbeat::test;

using long_plan = on_engine;

TEST_P(long_plan, is_right_near_the_largest_single_pass_and_up_to_the_longest) {
  for (const std::size_t bits : {14, 15, 18, 20, 21, 22, 23, 24}) {
    const std::size_t n = std::size_t{1} << bits;
    expect_right_plan(*on, {.lengths = {n}});
    expect_right_plan(*on, {.lengths = {n}, .kind = transform::forward_from_real});
    expect_right_plan(
        *on, {.lengths = {n}, .kind = transform::inverse_to_real, .real = precision::fp64});
  }
}

TEST_P(long_plan, is_right_in_several_passes) {
  for (const unsigned bits : {16, 19}) check_length(*on, std::size_t{1} << bits);
}

TEST_P(long_plan, transforms_each_row_of_a_batch) {
  check_batches(*on, {4, 8, 32, 64, 256, 1024});
}

TEST_P(long_plan, transforms_an_impulse_at_every_position) {
  for (const std::size_t n : {8, 64}) check_impulses(*on, n);
}

INSTANTIATE_TEST_SUITE_P(engines, long_plan, ::testing::Values(engine::opencl), engine_name);

}  // namespace
