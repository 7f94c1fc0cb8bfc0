// SPDX-License-Identifier: Apache-2.0
// Packets placed by their timestamps: order, loss, duplicates, and each reason against a packet.
#include "receive/chunk_writer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "receive/packets.hpp"   // chunk_bench, datagram_of
#include "spead/packetiser.hpp"  // packets_of, stop_heap
#include "wingbeat/error.hpp"    // plan_error

namespace {

using namespace wingbeat::receive;
using namespace wingbeat::test;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(chunk_writer, has_the_sizes_of_a_digitiser) {
  EXPECT_EQ(small_chunks.packet_bytes(), 5120u);
  EXPECT_EQ(small_chunks.plane_bytes(), 81920u);
  EXPECT_EQ(small_chunks.packets(), 16u);
}

TEST(chunk_writer, hands_on_a_chunk_when_it_is_complete) {
  chunk_bench bench;
  bench.add_packets(0, 32);
  EXPECT_THAT(bench.ready(), IsEmpty()) << "an earlier packet might still open a window";
  bench.add_packet(32, 0);
  EXPECT_THAT(bench.ready(), ElementsAre(0, 1));
  bench.add_packet(32, 1);
  bench.add_packets(33, 48);
  EXPECT_THAT(bench.ready(), ElementsAre(2)) << "at once";
  bench.flush();
  EXPECT_THAT(bench.ready(), IsEmpty());
  const receive_counts counts = bench.counts();
  expect_all_counted(counts);
  EXPECT_EQ(counts.datagrams, 96u);
  for (unsigned p = 0; p < 2; ++p) {
    EXPECT_EQ(counts.polarisations[p].packets, 48u);
    EXPECT_EQ(counts.polarisations[p].bytes, 48u * 5120);
    EXPECT_EQ(counts.polarisations[p].samples, 48u * 4096);
    EXPECT_EQ(counts.polarisations[p].missing_packets, 0u);
    std::uint64_t saturated = 0;
    for (std::int64_t i = 0; i < 48; ++i) saturated += saturation_of(4096 * i, p);
    EXPECT_EQ(counts.polarisations[p].saturated_samples, saturated);
  }
  EXPECT_EQ(counts.chunks, 3u);
  EXPECT_EQ(counts.incomplete_chunks, 0u);
}

TEST(chunk_writer, counts_each_reason_against_a_packet) {
  chunk_bench bench;
  bench.add_packets(0, 20);
  auto misaligned = datagram_of(4096 * 20 + 8, 0), foreign = datagram_of(4096 * 20, 0);
  bench.add(misaligned);
  foreign[8 * 8] = std::byte{0x34};  // another id of the samples
  bench.add(foreign);
  bench.add(datagram_of(4096 * 20, 0, {.packet_samples = 2048}));
  bench.add(datagram_of(4096 * 20, 0, {.packet_samples = 8192}));
  bench.add(std::span(foreign).first(100));
  bench.add(std::span(foreign).first(7));
  bench.add(wingbeat::spead::packets_of(wingbeat::spead::stop_heap(3), {}).front());
  bench.add_packet(3, 1);
  bench.flush();
  EXPECT_THAT(bench.ready(), ElementsAre(0, 1));
  const receive_counts counts = bench.counts();
  expect_all_counted(counts);
  EXPECT_EQ(counts.datagrams, 40u + 8);
  EXPECT_EQ(counts.polarisations[0].misaligned, 1u);
  EXPECT_EQ(counts.misaligned(), 1u);
  EXPECT_EQ(counts.foreign, 1u);
  EXPECT_EQ(counts.wrong_size, 2u);
  EXPECT_EQ(counts.stops, 1u);
  EXPECT_EQ(counts.duplicates(), 1u);
  EXPECT_EQ(counts.polarisations[1].duplicates, 1u);
  using wingbeat::spead::packet_fault;
  EXPECT_EQ(counts.undecodable[static_cast<std::size_t>(packet_fault::payload_beyond_end)], 1u);
  EXPECT_EQ(counts.undecodable[static_cast<std::size_t>(packet_fault::too_short)], 1u);
  EXPECT_EQ(counts.placed(), 40u);
}

TEST(chunk_writer, accepts_any_order_within_two_chunks_and_counts_older_packets) {
  chunk_bench bench;
  // 64 packets with 3 dropped; chunk 0's last packet comes in chunk 1, and chunk 1's come late.
  for (const std::int64_t i : {1, 0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14}) {
    bench.add_packets(i, i + 1);
  }
  bench.add_packets(16, 24);
  bench.add_packets(15, 16);
  bench.add_packets(27, 32);
  bench.add_packet(24, 0);
  bench.add_packets(32, 48);
  bench.add_packet(24, 1);  // within the window of two
  bench.add_packet(48, 0);  // closes chunk 1
  bench.add_packet(25, 0);
  bench.add_packet(25, 1);
  bench.add_packets(49, 64);
  bench.flush();
  EXPECT_THAT(bench.ready(), ElementsAre(0, 1, 2, 3));
  const receive_counts counts = bench.counts();
  expect_all_counted(counts);
  EXPECT_EQ(counts.polarisations[0].packets, 62u);
  EXPECT_EQ(counts.polarisations[1].packets, 61u);
  EXPECT_EQ(counts.polarisations[0].late, 1u);
  EXPECT_EQ(counts.polarisations[1].late, 1u);
  EXPECT_EQ(counts.polarisations[0].missing_packets, 2u);
  EXPECT_EQ(counts.polarisations[1].missing_packets, 3u);
  EXPECT_EQ(counts.incomplete_chunks, 2u);
}

TEST(chunk_writer, counts_a_duplicate_of_a_chunk_that_is_handed_on) {
  chunk_bench bench;
  bench.add_packets(0, 48);
  EXPECT_THAT(bench.ready(), ElementsAre(0, 1, 2));
  bench.add_packet(47, 0);
  bench.add_packet(20, 0);
  bench.add_packet(15, 0);
  EXPECT_EQ(bench.counts().duplicates(), 2u);
  EXPECT_EQ(bench.counts().late(), 1u);
}

TEST(chunk_writer, counts_whole_chunks_that_are_missing) {
  chunk_bench bench;
  bench.add_packets(5, 40);
  bench.add_packet(70, 1);  // chunk 4; chunk 3 is missing
  bench.flush();
  EXPECT_THAT(bench.ready(), ElementsAre(0, 1, 2, 4));
  const receive_counts counts = bench.counts();
  EXPECT_EQ(counts.polarisations[0].missing_packets, 70u - 40 + 1) << "5 to 70, less those placed";
  EXPECT_EQ(counts.polarisations[1].missing_packets, 70u - 40);
}

TEST(chunk_writer, masks_timestamps_where_asked) {
  chunk_bench bench(8, {.masks_timestamps = true});
  auto late_clock = datagram_of(4096 * 3, 0);
  wingbeat::spead::store_big_endian(
      &late_clock[40], wingbeat::spead::item_pointer::immediate(0x1600, 4096 * 3 + 4095).word());
  bench.add(late_clock);
  bench.flush();
  EXPECT_THAT(bench.ready(), ElementsAre(0)) << "the samples of packet 3 stand in its slot";
  EXPECT_EQ(bench.counts().misaligned(), 0u);
  EXPECT_THROW(
      chunk_bench(8, {.masks_timestamps = true}, {.packet_samples = 4000, .chunk_samples = 4000}),
      wingbeat::plan_error);
}

TEST(chunk_writer, drops_packets_without_a_free_chunk_and_recovers) {
  chunk_bench bench(3);
  bench.add_packets(0, 16 * 5);  // Nobody takes chunks 0 to 2.
  const receive_counts starved = bench.counts();
  expect_all_counted(starved);
  EXPECT_EQ(starved.starved(), 2u * 16 * 2);
  EXPECT_THAT(bench.ready(), ElementsAre(0, 1, 2));
  bench.add_packets(16 * 5, 16 * 8);
  bench.flush();
  EXPECT_THAT(bench.ready(), ElementsAre(5, 6, 7));
  const receive_counts counts = bench.counts();
  EXPECT_EQ(counts.starved(), starved.starved());
  EXPECT_EQ(counts.polarisations[0].missing_packets, 32u);
  EXPECT_EQ(counts.polarisations[1].missing_packets, 32u);
  EXPECT_EQ(counts.placed(), 2u * 16 * 6);
}

TEST(chunk_writer, keeps_a_chunk_until_it_is_given_back) {
  chunk_bench bench(4);
  bench.add_packets(0, 33);
  {
    const received_chunk held = bench.next();
    ASSERT_TRUE(held);
    EXPECT_EQ(bench.pool().n_free(), 1u);
  }
  EXPECT_EQ(bench.pool().n_free(), 2u);
}

TEST(chunk_writer, refuses_a_pool_as_small_as_its_window) {
  EXPECT_THROW(chunk_bench(2), wingbeat::plan_error);
  EXPECT_THROW(chunk_bench(4, {}, {.sample_bits = 17}), wingbeat::plan_error);
  EXPECT_THROW(chunk_bench(4, {}, {.polarisations = 3}), wingbeat::plan_error);
  EXPECT_THROW(chunk_bench(4, {}, {.packet_samples = 5, .chunk_samples = 5}), wingbeat::plan_error);
  EXPECT_THROW(chunk_bench(4, {}, {.chunk_samples = 65537}), wingbeat::plan_error);
}

}  // namespace
