// SPDX-License-Identifier: Apache-2.0
// Time as packets tell it: beyond 48 bits, and when a packet's word is not believed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "receive/packets.hpp"  // chunk_bench

namespace {

using namespace wingbeat::receive;
using namespace wingbeat::test;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::int64_t wrap = std::int64_t{1} << 48;
constexpr std::int64_t wrap_packet = wrap / 4096, wrap_chunk = wrap / 65536;

TEST(receive_time, unwraps_to_the_nearest) {
  EXPECT_EQ(unwrapped(5, 0), 5);
  EXPECT_EQ(unwrapped(5, wrap - 3), wrap + 5);
  EXPECT_EQ(unwrapped(wrap - 3, wrap + 5), wrap - 3);
  EXPECT_EQ(unwrapped(7, 9 * wrap + 100), 9 * wrap + 7);
  EXPECT_EQ(unwrapped(wrap - 1, 3 * wrap), 3 * wrap - 1);
  EXPECT_EQ(unwrapped(wrap / 2 - 1, 0), wrap / 2 - 1);
  EXPECT_EQ(unwrapped(wrap - 1, 0), wrap - 1) << "no time is negative";
}

TEST(receive_time, goes_on_beyond_48_bits) {
  for (const std::int64_t middle : {wrap_packet / 2, wrap_packet, 5 * wrap_packet}) {
    chunk_bench bench(8, {.start_near = middle * 4096 - 12345678});
    bench.add_packets(middle - 40, middle + 40);
    bench.flush();
    const std::int64_t chunk = middle / 16;
    EXPECT_THAT(bench.ready(),
                ElementsAre(chunk - 3, chunk - 2, chunk - 1, chunk, chunk + 1, chunk + 2));
    EXPECT_EQ(bench.counts().placed(), 160u);
    EXPECT_EQ(bench.counts().polarisations[0].missing_packets, 0u);
  }
}

TEST(receive_time, starts_where_the_first_packet_says) {
  chunk_bench bench;
  bench.add_packets(wrap_packet - 16, wrap_packet + 16);
  bench.flush();
  EXPECT_THAT(bench.ready(), ElementsAre(wrap_chunk - 1, wrap_chunk));
}

TEST(receive_time, does_not_jump_at_one_packets_word) {
  chunk_bench bench(8, {.start_near = wrap});
  bench.add_packets(wrap_packet, wrap_packet + 20);
  for (const std::int64_t far : {1000, -1000, 100000, -100000}) {
    for (int i = 0; i < 15; ++i) bench.add_packet(wrap_packet + 20 + far + i, i % 3 == 0);
  }
  bench.add_packets(wrap_packet + 20, wrap_packet + 64);
  bench.flush();
  EXPECT_EQ(bench.ready().size(), 4u);
  const receive_counts counts = bench.counts();
  expect_all_counted(counts);
  EXPECT_EQ(counts.polarisations[0].implausible, 40u);
  EXPECT_EQ(counts.polarisations[1].implausible, 20u);
  EXPECT_EQ(counts.placed(), 128u);
  EXPECT_EQ(counts.polarisations[0].missing_packets, 0u);
}

TEST(receive_time, does_not_jump_at_a_share_of_packets) {
  chunk_bench bench;
  for (std::int64_t i = 0; i < 1600; ++i) {
    bench.add_packets(i, i + 1);
    // In agreement with each other, one for ten packets of the right time.
    if (i % 5 == 0) bench.add_packet(1000000 + i / 5, 0);
    bench.ready();
  }
  const receive_counts counts = bench.counts();
  EXPECT_EQ(counts.placed(), 3200u);
  EXPECT_EQ(counts.incomplete_chunks, 0u);
  bench.flush();
  EXPECT_EQ(bench.counts().implausible(), 320u);
}

TEST(receive_time, follows_a_jump_ahead_without_loss) {
  chunk_bench bench;
  bench.add_packets(0, 32);
  bench.add_packets(1600, 1632);
  bench.flush();
  EXPECT_THAT(bench.ready(), ElementsAre(0, 1, 100, 101));
  const receive_counts counts = bench.counts();
  EXPECT_EQ(counts.implausible(), 0u);
  EXPECT_EQ(counts.placed(), 128u);
  EXPECT_EQ(counts.restarts, 0u);
  EXPECT_EQ(counts.polarisations[1].missing_packets, 1600u - 32);
}

TEST(receive_time, goes_back_in_another_epoch) {
  chunk_bench bench;
  bench.add_packets(1600, 1632);
  bench.add_packets(0, 7);  // fourteen packets are not believed
  EXPECT_THAT(bench.ready(), IsEmpty());
  bench.add_packets(7, 48);
  const auto next_epoch = [&] {
    const received_chunk next = bench.next();
    return next ? static_cast<int>(next->epoch) : -1;
  };
  bench.flush();
  std::vector<int> epochs;
  for (int epoch = next_epoch(); epoch >= 0; epoch = next_epoch()) epochs.push_back(epoch);
  EXPECT_THAT(epochs, ElementsAre(0, 0, 1, 1, 1));
  const receive_counts counts = bench.counts();
  EXPECT_EQ(counts.restarts, 1u);
  EXPECT_EQ(counts.placed(), 160u);
  EXPECT_EQ(counts.implausible(), 0u);
  EXPECT_EQ(counts.polarisations[0].missing_packets, 0u);
}

TEST(receive_time, does_not_go_back_while_packets_come) {
  chunk_bench bench;
  for (std::int64_t i = 1600; i < 1664; ++i) {
    bench.add_packets(i, i + 1);
    for (std::int64_t k = 0; k < 10; ++k) bench.add_packet((i - 1600) * 10 + k, 0);
    bench.ready();
  }
  bench.flush();
  EXPECT_EQ(bench.counts().restarts, 0u);
  EXPECT_EQ(bench.counts().implausible(), 640u);
  EXPECT_EQ(bench.counts().placed(), 128u);
}

TEST(receive_time, recovers_from_a_wrong_first_packet) {
  for (const std::int64_t wrong : {wrap_packet / 2, std::int64_t{99999}, std::int64_t{0}}) {
    chunk_bench bench;
    bench.add_packet(wrong, 0);
    bench.add_packets(50000, 50032);
    bench.flush();
    EXPECT_EQ(bench.counts().placed(), 65u) << wrong;
  }
}

}  // namespace
