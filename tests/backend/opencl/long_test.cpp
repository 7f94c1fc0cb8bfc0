// SPDX-License-Identifier: Apache-2.0
// Label: slow
// Timeout: 1800
// The lengths that plan_test leaves out, up to the longest: the largest single passes, and several.
#include <gtest/gtest.h>

#include "backend/compiled_plan_check.hpp"  // check_plan, check_lengths, check_batches

namespace {

using namespace wingbeat;
using namespace wingbeat::test;

using long_opencl_plan = compiled_plan<engine::opencl>;

void check_some(queue& on, std::size_t bits) {
  const std::size_t n = std::size_t{1} << bits;
  check_plan(on, {.lengths = {n}});
  check_plan(on, {.lengths = {n}, .kind = transform::forward_from_real});
  check_plan(on, {.lengths = {n}, .kind = transform::inverse_to_real, .real = precision::fp64});
}

TEST_F(long_opencl_plan, agrees_with_long_double_near_the_largest_single_pass) {
  for (const std::size_t bits : {14, 15, 18}) check_some(*on, bits);
}

TEST_F(long_opencl_plan, agrees_with_long_double_up_to_the_longest) {
  for (const std::size_t bits : {20, 21, 22, 23, 24}) check_some(*on, bits);
}

TEST_F(long_opencl_plan, agrees_with_long_double_in_several_passes) {
  for (const unsigned bits : {16, 19}) check_lengths(*on, bits, bits);
}

TEST_F(long_opencl_plan, transforms_each_row_of_a_batch) {
  check_batches(*on, {4, 8, 32, 64, 256, 1024});
}

TEST_F(long_opencl_plan, transforms_an_impulse_at_every_position) {
  for (const std::size_t n : {8, 64}) check_impulses(*on, n);
}

}  // namespace
