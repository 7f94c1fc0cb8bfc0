// SPDX-License-Identifier: Apache-2.0
// Label: opencl
// Timeout: 900
// Plans of the opencl engine: every length, kind and precision, batches, impulses, many threads.
#include <gtest/gtest.h>

#include <memory>
#include <thread>

#include "backend/compiled_plan_check.hpp"  // check_lengths, check_batches, check_impulses

namespace {

using namespace wingbeat;
using namespace wingbeat::test;

/// A queue of the first device, or nothing where the engine is absent.
std::unique_ptr<queue> on() {
  if (devices(engine::opencl).empty()) return nullptr;
  return std::make_unique<queue>(first_device(engine::opencl));
}

#define NEEDS_DEVICE() \
  if (!on()) GTEST_SKIP() << why_absent(engine::opencl)

TEST(opencl_plan, agrees_with_long_double_at_every_length) {
  NEEDS_DEVICE();
  check_lengths(*on(), 1, 13);
}

TEST(opencl_plan, transforms_each_row_of_a_batch) {
  NEEDS_DEVICE();
  check_batches(*on());
}

TEST(opencl_plan, transforms_an_impulse_at_every_position) {
  NEEDS_DEVICE();
  for (const std::size_t n : {2, 4, 8, 16, 32, 64, 256, 512}) check_impulses(*on(), n);
}

TEST(opencl_plan, serves_many_threads_and_queues_at_once) {
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

TEST(opencl_plan, refuses_a_buffer_that_starts_within_a_number) {
  NEEDS_DEVICE();
  queue here = *on();
  const plan made{here, {.lengths = {64}}};
  buffer memory{here, 4096};
  buffer_view off = memory.view();
  off.offset_bytes = 4;
  off.size_bytes -= 4;
  EXPECT_THROW(made.enqueue(here, off, off), plan_error);
}

TEST(opencl_plan, agrees_with_long_double_in_several_passes) {
  NEEDS_DEVICE();
  for (const unsigned bits : {16, 17, 19}) check_lengths(*on(), bits, bits);
}

}  // namespace
