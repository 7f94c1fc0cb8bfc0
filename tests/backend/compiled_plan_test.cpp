// SPDX-License-Identifier: Apache-2.0
// Label: opencl
// Timeout: 900
// Plans of the engines that compile kernels: powers of two of every kind and precision, batches,
// impulses, many threads. opencl/long_test.cpp has more of them.
#include <gtest/gtest.h>

#include "backend/engine_plan_check.hpp"  // check_length, check_batches, check_impulses
#include "support/full_run.hpp"           // cases_on, is_full_run
#include "support/on_engine.hpp"          // on_engine, compiled_engines, engine_name

namespace {

using namespace wingbeat;
using namespace wingbeat::test;

using compiled_plan = on_engine;

TEST_P(compiled_plan, is_right_at_every_power_of_two) {
  for (const unsigned bits :
       cases<unsigned>({1, 13, 17}, {2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 15, 16})) {
    check_length(*on, std::size_t{1} << bits, !leaves_out());
  }
}

TEST_P(compiled_plan, is_right_at_long_lengths) {
  if (GetParam() != engine::cuda) GTEST_SKIP() << "opencl/long_test.cpp has these";
  for (const unsigned bits : {18, 21, 23}) {
    for (const transform kind :
         {transform::forward, transform::forward_from_real, transform::inverse_to_real}) {
      expect_right_plan(*on, {.lengths = {std::size_t{1} << bits}, .kind = kind});
    }
  }
  check_long_row<double>(*on, max_length);
}

TEST_P(compiled_plan, transforms_each_row_of_a_batch) {
  check_batches(*on, cases<std::size_t>({16}, {2, 4, 8, 32, 64, 128, 256, 1024}));
}

TEST_P(compiled_plan, transforms_an_impulse_at_every_position) {
  for (const std::size_t n : cases<std::size_t>({4, 256}, {2, 8, 16, 32, 64, 512})) {
    check_impulses(*on, n);
  }
}

TEST_P(compiled_plan, serves_many_threads_and_queues_at_once) {
  check_threads(*on, queue{first_device(GetParam())});
}

TEST_P(compiled_plan, refuses_a_buffer_that_starts_within_a_number) {
  const plan planned{*on, {.lengths = {64}}};
  const buffer memory{*on, 4096};
  buffer_view off = memory.view();
  off.offset_bytes = 4;
  off.size_bytes -= 4;
  EXPECT_THROW(planned.enqueue(*on, off, off), plan_error);
}

INSTANTIATE_TEST_SUITE_P(engines, compiled_plan, compiled_engines(), engine_name);

}  // namespace
