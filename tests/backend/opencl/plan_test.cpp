// SPDX-License-Identifier: Apache-2.0
// Label: opencl
// Timeout: 900
// Plans of the opencl engine: every length, kind and precision, batches, impulses, many threads.
// long_test.cpp has more of them.
#include <gtest/gtest.h>

#include "backend/compiled_plan_check.hpp"  // check_lengths, check_batches, check_impulses
#include "support/full_run.hpp"             // cases_on, is_full_run

namespace {

using namespace wingbeat;
using namespace wingbeat::test;

using opencl_plan = compiled_plan<engine::opencl>;

TEST_F(opencl_plan, agrees_with_long_double_at_every_length) {
  for (const int log2 : {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13}) {
    const bool is_sample = log2 == 1 || log2 == 13;
    if (is_sample || is_full_run()) check_lengths(*on, log2, log2, is_full_run());
  }
}

TEST_F(opencl_plan, transforms_each_row_of_a_batch) {
  check_batches(*on, cases_on<std::size_t>(engine::opencl, {16}, {2, 128}));
}

TEST_F(opencl_plan, transforms_an_impulse_at_every_position) {
  for (const std::size_t n : cases_on<std::size_t>(engine::opencl, {4, 256}, {2, 16, 32, 512})) {
    check_impulses(*on, n);
  }
  if (on->device().has_fp64) check_long_impulses(*on, std::size_t{1} << 17);
}

TEST_F(opencl_plan, serves_many_threads_and_queues_at_once) {
  check_threads(*on, queue{first_device(engine::opencl)});
}

TEST_F(opencl_plan, refuses_a_buffer_that_starts_within_a_number) {
  check_refusal_of_half_a_number(*on);
}

TEST_F(opencl_plan, agrees_with_long_double_in_several_passes) {
  check_lengths(*on, 17, 17, is_full_run());
}

}  // namespace
