// SPDX-License-Identifier: Apache-2.0
// The emulated workgroup itself: everybody runs, nobody passes a barrier early, failures surface.
#include "wingbeat/emulate.hpp"

#include <gtest/gtest.h>

#include <numeric>    // iota
#include <stdexcept>  // logic_error
#include <thread>     // jthread
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

/// Every workgroup sends each of the others one number for each of its threads.
TEST(run_cluster, delivers_what_is_sent_before_it_is_received) {
  constexpr unsigned n_workgroups = 3, n_threads = 4, first_index = 6;
  struct local {
    double from[n_workgroups * n_threads];
    unsigned arrivals;
  };
  run_cluster(
      n_workgroups, n_threads, sizeof(local),
      [&](const emulated_cluster_group& group, char* memory) {
        auto& mine = *reinterpret_cast<local*>(memory);
        const auto rank = static_cast<unsigned>(group.index() - first_index);
        if (group.thread() == 0) group.expect(&mine.arrivals, sizeof mine.from);
        group.cluster_arrive();
        group.cluster_wait();
        const unsigned me = rank * n_threads + group.thread();
        for (unsigned to = 0; to < n_workgroups; ++to) {
          group.send(group.of_peer(mine.from, to), me, 10.0 * me + to,
                     group.of_peer(&mine.arrivals, to));
        }
        group.receive(&mine.arrivals);
        for (unsigned i = 0; i < n_workgroups * n_threads; ++i) {
          EXPECT_EQ(mine.from[i], 10.0 * i + rank);
        }
      },
      first_index);
}

TEST(run_cluster, throws_what_a_thread_threw_and_leaves_nobody_waiting) {
  for (const bool has_arrived : {false, true}) {
    const auto body = [&](const emulated_cluster_group& group, char* memory) {
      if (group.thread() == 0) group.expect(memory, 1);  // nobody sends it
      const bool fails = group.index() == 1 && group.thread() == 1;
      if (fails && !has_arrived) throw std::logic_error("thread 1 of workgroup 1 failed");
      group.cluster_arrive();
      if (fails) throw std::logic_error("thread 1 of workgroup 1 failed");
      group.cluster_wait();
      group.barrier();
      group.receive(memory);
    };
    EXPECT_THROW(run_cluster(2, 3, 16, body), std::logic_error);
  }
}

}  // namespace
