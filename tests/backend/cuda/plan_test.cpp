// SPDX-License-Identifier: Apache-2.0
// Label: gpu
// Timeout: 900
// Plans of the cuda engine: every length, kind and precision, batches, impulses, many threads.
#include <gtest/gtest.h>

#include "backend/compiled_plan_check.hpp"  // check_lengths, check_impulses

namespace {

using namespace wingbeat;
using namespace wingbeat::test;

using cuda_plan = compiled_plan<engine::cuda>;

TEST_F(cuda_plan, agrees_with_long_double_at_every_length) {
  check_lengths(*on, 1, 17);
}

TEST_F(cuda_plan, agrees_with_long_double_up_to_the_longest) {
  queue gpu = *on;
  check_long_impulses(gpu, max_length);
  for (const std::size_t bits : {18, 21, 23}) {
    check_plan(gpu, {.lengths = {std::size_t{1} << bits}});
    check_plan(gpu, {.lengths = {std::size_t{1} << bits}, .kind = transform::forward_from_real});
    check_plan(gpu, {.lengths = {std::size_t{1} << bits}, .kind = transform::inverse_to_real});
  }
}

/// Small enough for compute-sanitizer: its memcheck and racecheck run this test.
TEST_F(cuda_plan, runs_one_of_each_template) {
  queue gpu = *on;
  for (std::size_t n = 2; n <= std::size_t{1} << 16; n *= 2) {
    const std::size_t batch = n < 64 ? 67 : 3;
    for (const transform kind : {transform::forward, transform::inverse,
                                 transform::forward_from_real, transform::inverse_to_real}) {
      check_plan(gpu, {.lengths = {n}, .batch = batch, .kind = kind});
      check_plan(gpu, {.lengths = {n}, .batch = batch, .kind = kind, .real = precision::fp64});
    }
  }
}

TEST_F(cuda_plan, transforms_each_row_of_a_batch) {
  check_batches(*on, {2, 4, 8, 16, 32, 64, 128, 256, 1024});
}

TEST_F(cuda_plan, transforms_an_impulse_at_every_position) {
  for (const std::size_t n : {2, 4, 8, 16, 32, 64, 256, 512}) check_impulses(*on, n);
}

TEST_F(cuda_plan, serves_many_threads_and_queues_at_once) {
  check_threads(*on, queue{first_device(engine::cuda)});
}

TEST_F(cuda_plan, refuses_a_buffer_that_starts_within_a_number) {
  check_refusal_of_half_a_number(*on);
}

}  // namespace
