// SPDX-License-Identifier: Apache-2.0
// The emulated workgroup itself: everybody runs, nobody passes a barrier early, failures surface.
#include "wingbeat/emulate.hpp"

#include <gtest/gtest.h>

#include <numeric>  // iota
#include <stdexcept>
#include <vector>

namespace {

using namespace wingbeat;

TEST(run_workgroup, calls_each_thread_once_and_tells_it_who_it_is) {
  std::vector<unsigned> seen(33, 99);
  run_workgroup(
      33,
      [&](emulated_group group) {
        EXPECT_EQ(group.index(), 5U);
        seen[group.thread()] = group.thread();
      },
      /*index=*/5);
  std::vector<unsigned> expected(33);
  std::iota(expected.begin(), expected.end(), 0U);
  EXPECT_EQ(seen, expected);
}

// Without the barriers this is a race, which ThreadSanitizer reports.
TEST(run_workgroup, orders_writes_before_a_barrier_before_reads_behind_it) {
  constexpr unsigned n_threads = 8;
  std::vector<int> shared(n_threads, 0);
  run_workgroup(n_threads, [&](emulated_group group) {
    const unsigned t = group.thread();
    for (int round = 1; round <= 50; ++round) {
      shared[t] = round;
      group.barrier();
      EXPECT_EQ(shared[(t + 1) % n_threads], round);
      group.barrier();
    }
  });
}

TEST(run_workgroup, throws_what_a_thread_threw_and_leaves_nobody_waiting) {
  const auto body = [](emulated_group group) {
    if (group.thread() == 2) throw std::runtime_error("thread 2 failed");
    group.barrier();
    group.barrier();
  };
  EXPECT_THROW(run_workgroup(4, body), std::runtime_error);
}

}  // namespace
