// SPDX-License-Identifier: Apache-2.0
// Ranks that meet over loopback: bytes arrive, and who fails or never comes is named by all.
#include "processes/group.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>  // raise

#include <atomic>
#include <chrono>
#include <cmath>  // nan

#include "processes/ranks.hpp"  // free_address, refusals_of
#include "support/child.hpp"    // start_child, exit_code_of

namespace {

using namespace wingbeat;
using namespace wingbeat::test;
using processes::group;
using ::testing::Each;
using ::testing::HasSubstr;

constexpr double short_s = 0.6;

TEST(group, gathers_texts_and_exchanges_bytes) {
  for (const std::size_t size : {1U, 2U, 3U, 5U, 8U}) {
    const std::string address = free_address();
    const auto sentences = refusals_of(size, [&](std::size_t rank) {
      group ranks{{address, rank, size}, 10};
      const auto texts = ranks.gather("text of " + std::to_string(rank));
      for (std::size_t i = 0; i < size; ++i) EXPECT_EQ(texts[i], "text of " + std::to_string(i));
      // Of each pair as many bytes as its numbers say, beyond what sockets hold.
      const auto count = [](std::size_t from, std::size_t to) { return 300'000 * from + to; };
      std::vector<std::vector<std::byte>> sent(size), received(size);
      std::vector<std::span<const std::byte>> out(size);
      std::vector<std::span<std::byte>> in(size);
      for (std::size_t i = 0; i < size; ++i) {
        sent[i].assign(count(rank, i), static_cast<std::byte>(16 * rank + i));
        received[i].resize(count(i, rank));
        out[i] = sent[i];
        in[i] = received[i];
      }
      for (int repeat = 0; repeat < 2; ++repeat) ranks.exchange(out, in);
      for (std::size_t i = 0; i < size; ++i) {
        if (i == rank) continue;
        const std::vector<std::byte> wanted(count(i, rank), static_cast<std::byte>(16 * i + rank));
        EXPECT_TRUE(received[i] == wanted) << i << " to " << rank;
      }
    });
    EXPECT_THAT(sentences, Each(""));
  }
}

TEST(group, names_a_rank_that_never_comes) {
  const std::string address = free_address();
  const auto begin = std::chrono::steady_clock::now();
  const auto sentences = refusals_of(3, [&](std::size_t rank) {
    if (rank != 1) group({address, rank, 4}, short_s);
  });
  EXPECT_THAT(sentences[0], HasSubstr("ranks 1, 3 did not come to rank 0 at " + address));
  EXPECT_EQ(sentences[2], sentences[0]);
  EXPECT_THAT(refusals_of(2,
                          [&](std::size_t rank) {
                            if (rank == 1) group({free_address(), rank, 2}, short_s / 2);
                          })[1],
              HasSubstr("rank 0 did not listen at"));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::duration<double>(3 * short_s));
}

TEST(group, refuses_ranks_that_do_not_fit_together) {
  std::string address = free_address();
  auto sentences = refusals_of(2, [&](std::size_t rank) {
    group({address, rank, 2 + rank}, short_s);
  });
  EXPECT_THAT(sentences, Each(HasSubstr("rank 1 counts 3 ranks, and rank 0 counts 2")));
  address = free_address();
  sentences = refusals_of(3, [&](std::size_t i) { group({address, i == 2 ? 1 : i, 3}, short_s); });
  EXPECT_THAT(sentences, Each(HasSubstr("two processes came as rank 1")));
  EXPECT_THAT(refusal([&] { group({address, 2, 2}, short_s); }), HasSubstr("rank 2 of 2"));
  EXPECT_THAT(refusal([&] { group({"nowhere", 1, 2}, short_s); }), HasSubstr("give host:port"));
  for (const char* place : {"127.0.0.1:99999", "127.0.0.1:0", "127.0.0.1:-1", "127.0.0.1:65536"}) {
    EXPECT_THAT(refusal([&] { group({place, 1, 2}, short_s); }), HasSubstr("from 1 to 65535"));
  }
  for (const double patience_s : {-1.0, 0.0, std::nan(""), 1e300}) {
    EXPECT_THAT(refusal([&] { group({address, 0, 1}, patience_s); }), HasSubstr("a patience of"));
  }
}

TEST(group, refuses_a_process_that_waits_when_all_ranks_have_come) {
  const std::string address = free_address();
  std::atomic<bool> is_connected = false;
  const auto sentences = refusals_of(4, [&](std::size_t i) {
    if (i == 0) {
      (void)group({address, 0, 2}, 10);
    } else if (i == 1) {  // a stranger, for whom rank 0 waits while both others come
      const auto socket =
          processes::connected_to(processes::parsed(address), processes::deadline{10});
      is_connected = true;
      std::this_thread::sleep_for(std::chrono::milliseconds{500});
    } else {
      while (!is_connected) std::this_thread::yield();
      (void)group({address, 1, 2}, 10);
    }
  });
  EXPECT_EQ(sentences[0], "");
  EXPECT_EQ(sentences[2] + sentences[3], "two processes came as rank 1; give each its own");
}

TEST(group, names_a_rank_that_has_ended_or_is_silent) {
  const std::string address = free_address();
  const auto sentences = refusals_of(4, [&](std::size_t rank) {
    group ranks{{address, rank, 4}, short_s};
    (void)ranks.gather("");
    if (rank == 2) return;
    (void)ranks.gather("");
  });
  for (const std::size_t rank : {0U, 1U, 3U}) {
    EXPECT_EQ(sentences[rank], "rank 2 has ended or was lost");
  }
  const std::string other = free_address();
  const auto silent = refusals_of(3, [&](std::size_t rank) {
    group ranks{{other, rank, 3}, short_s};
    if (rank == 1) std::this_thread::sleep_for(std::chrono::duration<double>(2 * short_s));
    (void)ranks.gather("");
    (void)ranks.gather("");
  });
  EXPECT_THAT(silent[0], HasSubstr("rank 1 did not answer within"));
  EXPECT_THAT(silent[1], HasSubstr("rank 1 did not answer within")) << "as the others tell it";
  EXPECT_THAT(silent[2], HasSubstr("rank 1 did not answer within"));
}

TEST(group, names_a_process_that_is_killed) {
  const std::string address = free_address();
  const std::vector<std::byte> much(std::size_t{1} << 24);
  std::vector<pid_t> children;
  for (std::size_t rank = 0; rank < 3; ++rank) {
    children.push_back(start_child([&, rank] {
      group ranks{{address, rank, 3}, 10};
      std::vector<std::byte> into(much.size());
      const std::string sentence = message_of([&] {
        for (int round = 0;; ++round) {
          if (rank == 1 && round == 2) ::raise(SIGKILL);
          ranks.exchange({3, much}, std::vector<std::span<std::byte>>(3, into));
        }
      });
      const std::string again = message_of([&] { (void)ranks.gather(""); });
      return sentence == "rank 1 has ended or was lost" && again == sentence ? 0 : 1;
    }));
  }
  EXPECT_EQ(exit_code_of(children[0]), 0);
  EXPECT_EQ(exit_code_of(children[1]), -SIGKILL);
  EXPECT_EQ(exit_code_of(children[2]), 0);
}

TEST(group, refuses_bytes_that_were_not_expected) {
  const std::string address = free_address();
  const auto sentences = refusals_of(2, [&](std::size_t rank) {
    group ranks{{address, rank, 2}, short_s};
    std::vector<std::byte> memory(8);
    const std::span<const std::byte> sent = std::span{memory}.first(rank == 1 ? 7 : 8);
    ranks.exchange({2, sent}, std::vector<std::span<std::byte>>(2, memory));
    (void)ranks.gather("");
  });
  EXPECT_THAT(sentences, Each("rank 1 sent 7 bytes to rank 0, which expected 8; have all ranks "
                              "make the same calls"));
}

}  // namespace
