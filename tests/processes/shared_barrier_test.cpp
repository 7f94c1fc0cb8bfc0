// SPDX-License-Identifier: Apache-2.0
// Ranks in threads and in processes that wait for each other in memory they share.
#include "processes/shared_barrier.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>  // raise

#include <chrono>

#include "processes/ranks.hpp"  // free_address, refusals_of
#include "support/child.hpp"    // start_child, exit_code_of
#include "support/refusal.hpp"  // message_of

namespace {

using namespace wingbeat;
using namespace wingbeat::test;
using processes::group;
using processes::shared_barrier;
using ::testing::Each;
using ::testing::HasSubstr;

TEST(shared_barrier, holds_ranks_until_all_have_come) {
  const std::string address = free_address();
  std::atomic<int> n_come = 0;
  const auto sentences = refusals_of(3, [&](std::size_t rank) {
    const auto barrier =
        shared_barrier::open(std::make_shared<group>(process_rank{address, rank, 3}, 10));
    ASSERT_NE(barrier, nullptr);
    for (int turn = 1; turn <= 100; ++turn) {
      ++n_come;
      barrier->wait();
      EXPECT_GE(n_come, 3 * turn);
      EXPECT_LE(n_come, 3 * turn + 2);
      barrier->wait();
    }
  });
  EXPECT_THAT(sentences, Each(""));
}

TEST(shared_barrier, names_a_rank_that_is_killed_or_does_not_come) {
  const std::string address = free_address();
  std::vector<pid_t> children;
  for (std::size_t rank = 0; rank < 3; ++rank) {
    children.push_back(start_child([&, rank] {
      const auto barrier =
          shared_barrier::open(std::make_shared<group>(process_rank{address, rank, 3}, 10));
      barrier->wait();
      if (rank == 1) ::raise(SIGKILL);
      return message_of([&] { barrier->wait(); }) == "rank 1 has ended or was lost" ? 0 : 2;
    }));
  }
  EXPECT_EQ(exit_code_of(children[0]), 0);
  EXPECT_EQ(exit_code_of(children[1]), -SIGKILL);
  EXPECT_EQ(exit_code_of(children[2]), 0);

  constexpr double short_s = 0.6;
  const std::string another = free_address();
  const auto sentences = refusals_of(2, [&](std::size_t rank) {
    const auto ranks = std::make_shared<group>(process_rank{another, rank, 2}, short_s);
    const auto barrier = shared_barrier::open(ranks);
    if (rank == 0) barrier->wait();
    std::this_thread::sleep_for(std::chrono::duration<double>(4 * short_s));
    // What was lost is told in this call or in the next one.
    for (int call = 0; call < 2; ++call) ranks->require_all(processes::deadline{short_s});
  });
  EXPECT_THAT(sentences, Each(HasSubstr("rank 1 did not answer within 0.6 s")));
}

TEST(shared_barrier, says_that_ranks_wait_elsewhere) {
  const std::string address = free_address();
  const auto sentences = refusals_of(2, [&](std::size_t rank) {
    const auto ranks = std::make_shared<group>(process_rank{address, rank, 2}, 0.6);
    const auto barrier = shared_barrier::open(ranks), other = shared_barrier::open(ranks);
    rank == 0 ? barrier->wait() : other->wait();
  });
  EXPECT_THAT(sentences[0], HasSubstr("rank 1 makes other calls than rank 0, or is late"));
  EXPECT_THAT(sentences[1], HasSubstr("rank 0 makes other calls than rank 1, or is late"));
}

TEST(shared_barrier, names_the_late_rank_not_those_that_wait_for_it) {
  constexpr double short_s = 0.6;
  const std::string address = free_address();
  const auto sentences = refusals_of(3, [&](std::size_t rank) {
    const auto ranks = std::make_shared<group>(process_rank{address, rank, 3}, short_s);
    const auto barrier = shared_barrier::open(ranks);
    // Rank 1 waits yet when rank 0 has waited long enough.
    if (rank == 1) std::this_thread::sleep_for(std::chrono::duration<double>(short_s / 2));
    if (rank < 2) barrier->wait();
    std::this_thread::sleep_for(std::chrono::duration<double>(4 * short_s));
  });
  EXPECT_EQ(sentences[0], "rank 2 did not answer within 0.6 s");
  EXPECT_EQ(sentences[1], "rank 2 did not answer within 0.6 s");
}

}  // namespace
