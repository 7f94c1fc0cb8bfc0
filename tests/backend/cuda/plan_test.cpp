// SPDX-License-Identifier: Apache-2.0
// Label: gpu
// Timeout: 900
// Plans of the cuda engine: every length, kind and precision, batches, impulses, many threads.
#include <gtest/gtest.h>

#include <memory>
#include <thread>

#include "backend/compiled_plan_check.hpp"  // check_lengths, check_batches, check_impulses

namespace {

using namespace wingbeat;
using namespace wingbeat::test;

/// A queue of the first device, or nothing where the engine is absent.
std::unique_ptr<queue> on() {
  if (devices(engine::cuda).empty()) return nullptr;
  return std::make_unique<queue>(first_device(engine::cuda));
}

#define NEEDS_DEVICE() \
  if (!on()) GTEST_SKIP() << why_absent(engine::cuda)

TEST(cuda_plan, agrees_with_long_double_at_every_length) {
  NEEDS_DEVICE();
  check_lengths(*on(), 1, 17);
}

TEST(cuda_plan, agrees_with_long_double_up_to_the_longest) {
  NEEDS_DEVICE();
  queue here = *on();
  check_plan(here, {.lengths = {max_length}, .real = precision::fp64});
  for (const std::size_t bits : {18, 21, 23}) {
    check_plan(here, {.lengths = {std::size_t{1} << bits}});
    check_plan(here, {.lengths = {std::size_t{1} << bits}, .kind = transform::forward_from_real});
    check_plan(here, {.lengths = {std::size_t{1} << bits}, .kind = transform::inverse_to_real});
  }
}

/// Small enough for compute-sanitizer: its memcheck and racecheck run this test.
TEST(cuda_plan, runs_one_of_each_template) {
  NEEDS_DEVICE();
  queue here = *on();
  for (std::size_t n = 2; n <= std::size_t{1} << 16; n *= 2) {
    const std::size_t batch = n < 64 ? 67 : 3;
    for (const transform kind : {transform::forward, transform::inverse,
                                 transform::forward_from_real, transform::inverse_to_real}) {
      check_plan(here, {.lengths = {n}, .batch = batch, .kind = kind});
      check_plan(here, {.lengths = {n}, .batch = batch, .kind = kind, .real = precision::fp64});
    }
  }
}

TEST(cuda_plan, transforms_each_row_of_a_batch) {
  NEEDS_DEVICE();
  check_batches(*on());
}

TEST(cuda_plan, transforms_an_impulse_at_every_position) {
  NEEDS_DEVICE();
  for (const std::size_t n : {2, 4, 8, 16, 32, 64, 256, 512}) check_impulses(*on(), n);
}

TEST(cuda_plan, serves_many_threads_and_queues_at_once) {
  NEEDS_DEVICE();
  // Two passes: the workspace is what threads could trample on.
  const std::size_t n = std::size_t{1} << 17;
  queue first = *on(), second = *on();
  const plan_spec what{.lengths = {n}, .batch = 2};
  const plan made{first, what};
  const auto input = input_noise<float>(what);
  const auto expected = run_three_times(first, what, input);
  std::vector<std::jthread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      queue mine = t % 2 == 0 ? first : second;
      buffer in{mine, input_bytes(what)}, out{mine, output_bytes(what)};
      in.write(input.data(), in.size_bytes());
      for (int run = 0; run < 5; ++run) {
        made.enqueue(mine, in.view(), out.view());
        std::vector<float> got(2 * n * what.batch);
        out.read(got.data(), out.size_bytes());
        EXPECT_TRUE(is_same(got, expected)) << "thread " << t << " run " << run;
      }
    });
  }
}

TEST(cuda_plan, refuses_a_buffer_that_starts_within_a_number) {
  NEEDS_DEVICE();
  queue here = *on();
  const plan made{here, {.lengths = {64}}};
  buffer memory{here, 4096};
  buffer_view off = memory.view();
  off.offset_bytes = 4;
  off.size_bytes -= 4;
  EXPECT_THROW(made.enqueue(here, off, off), plan_error);
}

}  // namespace
