// SPDX-License-Identifier: Apache-2.0
// The emulated workgroup itself: everybody runs, nobody passes a barrier early, failures surface.
#include "wingbeat/emulate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>    // iota
#include <stdexcept>  // logic_error
#include <string>
#include <vector>

#include "support/refusal.hpp"  // message_of
#include "wingbeat/device/workgroup/team.hpp"

namespace {

using namespace wingbeat;
using ::testing::HasSubstr;
using wingbeat::test::message_of;

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

TEST(run_workgroup, reports_a_thread_that_returned_early) {
  const auto refused = message_of<std::logic_error>([] {
    run_workgroup(
        8,
        [](emulated_group group) {
          group.barrier();
          if (group.thread() == 5) return;
          group.barrier();
          group.barrier();
        },
        /*index=*/3);
  });
  EXPECT_THAT(refused, HasSubstr("in workgroup 3, thread 5 passed 1 barriers of its workgroup "
                                 "and thread 0 passed 3: every thread passes every"));
  const auto first = message_of<std::logic_error>([] {
    run_workgroup(4, [](emulated_group group) {
      if (group.thread() != 0) group.barrier();
    });
  });
  EXPECT_THAT(first, HasSubstr("thread 0 passed 0 barriers of its workgroup and thread 1"));
}

TEST(run_workgroup, reports_a_thread_that_left_its_subgroup) {
  const auto body = [](emulated_group_of<32> group) {
    if (group.thread() >= 32 && group.thread() != 40) group.subgroup_barrier();
  };
  EXPECT_THAT(message_of<std::logic_error>([&] { run_workgroup<32>(64, body); }),
              HasSubstr("thread 40 passed 0 barriers of its subgroup and thread 32"));
  const auto by_subgroups = [](emulated_group_of<32> group) {
    if (group.thread() >= 32) group.subgroup_barrier();  // all of one subgroup may
  };
  EXPECT_NO_THROW(run_workgroup<32>(64, by_subgroups));
}

TEST(run_workgroup, reports_threads_that_a_team_does_not_have) {
  using shape = device::workgroup::shape<64, 8, 2>;
  for (const unsigned n_threads : {8U, 17U}) {
    const auto refused = message_of<std::logic_error>([&] {
      run_workgroup(n_threads, [](emulated_group group) {
        using device::workgroup::lanes;
        static_cast<void>(
            device::workgroup::team<shape, lanes::along_transform, emulated_group>{group});
      });
    });
    EXPECT_EQ(refused, "the workgroup was started with " + std::to_string(n_threads) +
                           " threads and its team has 16: start workgroup_threads of the "
                           "transform's description");
  }
}

/// Every workgroup sends each of the others one number for each of its threads.
TEST(run_cluster, delivers_what_is_sent_before_it_is_received) {
  constexpr unsigned n_workgroups = 3, n_threads = 4, first_index = 6;
  struct local {
    double received[n_workgroups * n_threads];
    unsigned arrivals;
  };
  run_cluster(
      n_workgroups, n_threads, sizeof(local),
      [&](const emulated_cluster_group& group, char* memory) {
        auto& mine = *reinterpret_cast<local*>(memory);
        const auto rank = static_cast<unsigned>(group.index() - first_index);
        if (group.thread() == 0) group.expect(&mine.arrivals, sizeof mine.received);
        group.cluster_arrive();
        group.cluster_wait();
        const unsigned me = rank * n_threads + group.thread();
        for (unsigned peer = 0; peer < n_workgroups; ++peer) {
          group.send(group.of_peer(mine.received, peer), me, 10.0 * me + peer,
                     group.of_peer(&mine.arrivals, peer));
        }
        group.receive(&mine.arrivals);
        for (unsigned i = 0; i < n_workgroups * n_threads; ++i) {
          EXPECT_EQ(mine.received[i], 10.0 * i + rank);
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

TEST(run_cluster, reports_threads_that_returned_early) {
  const auto in_workgroup = [](const emulated_cluster_group& group, char*) {
    if (group.index() == 1 && group.thread() == 2) return;
    group.barrier();
  };
  EXPECT_THAT(message_of<std::logic_error>([&] { run_cluster(2, 3, 16, in_workgroup); }),
              HasSubstr("in workgroup 1, thread 2 passed 0 barriers of its workgroup"));
  const auto in_cluster = [](const emulated_cluster_group& group, char*) {
    if (group.index() == 1 && group.thread() == 2) return;
    group.cluster_arrive();
    group.cluster_wait();
  };
  EXPECT_THAT(message_of<std::logic_error>([&] { run_cluster(2, 3, 16, in_cluster); }),
              HasSubstr("thread 5 passed 0 barriers of its cluster"));
}

TEST(run_cluster, reports_bytes_that_nobody_sends) {
  const auto body = [](const emulated_cluster_group& group, char* memory) {
    auto* const arrivals = reinterpret_cast<unsigned*>(memory + 8);
    if (group.thread() == 0) group.expect(arrivals, 3 * 8);
    group.cluster_arrive();
    group.cluster_wait();
    if (group.index() == 1 && group.thread() == 1) return;  // and sends nothing
    auto* const address = reinterpret_cast<double*>(memory);
    group.send(group.of_peer(address, 0), 0, 1.0, group.of_peer(arrivals, 0));
    group.receive(arrivals);
  };
  EXPECT_THAT(message_of<std::logic_error>([&] { run_cluster(2, 2, 32, body); }),
              HasSubstr("workgroup 1 waits for 24 bytes more than"));
}

}  // namespace
