// SPDX-License-Identifier: Apache-2.0
// Heaps of several packets: order, loss, duplicates, and lengths that promise too much.
#include "spead/heap_assembler.hpp"

#include <gtest/gtest.h>

#include <algorithm>  // shuffle
#include <random>

#include "spead/bytes.hpp"         // counting_bytes, to_hex
#include "spead/channel_heap.hpp"  // channel_heap_of, outgoing
#include "spead/packetiser.hpp"    // packets_of
#include "wingbeat/error.hpp"      // plan_error

namespace {

using namespace wingbeat::spead;
using namespace wingbeat::test;

std::vector<std::vector<std::byte>> packets(std::uint64_t id, std::size_t n_bytes,
                                            bool repeats = true) {
  const auto voltages = counting_bytes(n_bytes, static_cast<unsigned>(id));
  return packets_of(outgoing({.timestamp = id * 7, .first_channel = 64, .voltages = voltages},
                             {.channels = 1, .spectra = 1}, id),
                    {.packet_bytes = 72 + 64, .repeats_pointers = repeats});
}

/// A packet with the given fields and so much payload.
std::vector<std::byte> packet_of(std::uint64_t id, std::uint64_t length, std::uint64_t offset,
                                 std::size_t n_bytes) {
  std::vector<std::byte> bytes(40 + n_bytes);
  store_big_endian(bytes.data(), header_magic << 16 | 4);
  store_big_endian(&bytes[8], item_pointer::immediate(item::heap_id, id).word());
  store_big_endian(&bytes[16], item_pointer::immediate(item::heap_length, length).word());
  store_big_endian(&bytes[24], item_pointer::immediate(item::payload_offset, offset).word());
  store_big_endian(&bytes[32], item_pointer::immediate(item::payload_length, n_bytes).word());
  return bytes;
}

TEST(spead_heap_assembler, joins_packets) {
  for (const bool repeats : {false, true}) {
    heap_assembler assembler;
    const auto parts = packets(5, 200, repeats);
    for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
      EXPECT_FALSE(assembler.add(parts[i]).has_value());
    }
    const auto whole = assembler.add(parts.back());
    ASSERT_TRUE(whole.has_value());
    EXPECT_EQ(whole->id(), 5u);
    EXPECT_EQ(whole->items().size(), 4u) << "pointers that are repeated count once";
    const auto voltages = channel_heap_of(*whole);
    ASSERT_TRUE(voltages.has_value());
    EXPECT_EQ(voltages->timestamp, 35u);
    EXPECT_EQ(voltages->first_channel, 64u);
    EXPECT_EQ(to_hex(voltages->voltages), to_hex(counting_bytes(200, 5)));
    EXPECT_EQ(assembler.counts().packets, parts.size());
    EXPECT_EQ(assembler.counts().heaps, 1u);
  }
}

TEST(spead_heap_assembler, takes_any_order) {
  auto parts = packets(5, 1000);
  std::shuffle(parts.begin(), parts.end(), std::mt19937(3));
  heap_assembler assembler;
  std::optional<heap> whole;
  for (const auto& part : parts) {
    EXPECT_FALSE(whole.has_value());
    whole = assembler.add(part);
  }
  ASSERT_TRUE(whole.has_value());
  EXPECT_EQ(to_hex(whole->payload()), to_hex(counting_bytes(1000, 5)));
}

TEST(spead_heap_assembler, counts_duplicates_and_overlaps) {
  heap_assembler assembler;
  const auto parts = packets(5, 200);
  (void)assembler.add(parts[0]);
  (void)assembler.add(parts[0]);
  (void)assembler.add(parts[1]);
  (void)assembler.add(packet_of(5, 200, 127, 1));
  (void)assembler.add(packet_of(5, 200, 100, 28));
  (void)assembler.add(packet_of(5, 200, 127, 2));
  EXPECT_EQ(assembler.counts().duplicates, 4u);
  (void)assembler.add(parts[2]);
  EXPECT_TRUE(assembler.add(parts[3]).has_value());
}

TEST(spead_heap_assembler, drops_the_heap_that_waits_longest) {
  heap_assembler assembler({.max_heaps = 2});
  std::vector<std::vector<std::vector<std::byte>>> heaps;
  for (std::uint64_t id = 1; id <= 3; ++id) heaps.push_back(packets(id, 100));
  (void)assembler.add(heaps[0][0]);
  (void)assembler.add(heaps[1][0]);
  (void)assembler.add(heaps[2][0]);  // displaces heap 1
  EXPECT_EQ(assembler.counts().incomplete, 1u);
  EXPECT_TRUE(assembler.add(heaps[1][1]).has_value());
  EXPECT_TRUE(assembler.add(heaps[2][1]).has_value());
  EXPECT_FALSE(assembler.add(heaps[0][1]).has_value()) << "its begin is gone";
}

TEST(spead_heap_assembler, refuses_another_length_of_the_same_heap) {
  heap_assembler assembler;
  (void)assembler.add(packet_of(1, 100, 0, 50));
  (void)assembler.add(packet_of(1, 101, 50, 50));
  EXPECT_EQ(assembler.counts().inconsistent, 1u);
  EXPECT_TRUE(assembler.add(packet_of(1, 100, 50, 50)).has_value());
}

TEST(spead_heap_assembler, refuses_longer_heaps_than_its_limit) {
  heap_assembler assembler({.max_heap_bytes = 1000});
  (void)assembler.add(packet_of(9, 1001, 0, 1));
  EXPECT_EQ(assembler.counts().too_long, 1u);
  (void)assembler.add(packet_of(9, 1000, 999, 1));
  EXPECT_EQ(assembler.counts().packets, 1u);
}

TEST(spead_heap_assembler, limits_pointers_and_gaps) {
  heap_assembler assembler({.max_pointers = 4, .max_parts = 3});
  const auto parts = packets(5, 200);
  EXPECT_FALSE(assembler.add(parts[0]).has_value());
  EXPECT_EQ(assembler.counts().packets, 1u);
  auto fifth = parts[1];
  store_big_endian(&fifth[40], item_pointer::immediate(0x1601, 0).word());
  EXPECT_FALSE(assembler.add(fifth).has_value());
  EXPECT_EQ(assembler.counts().too_many_pointers, 1u);
  for (std::uint64_t i = 0; i < 5; ++i) (void)assembler.add(packet_of(6, 100, 10 * i + 1, 1));
  EXPECT_EQ(assembler.counts().duplicates, 2u);
}

TEST(spead_heap_assembler, drops_a_heap_with_an_item_beyond_its_end) {
  heap_assembler assembler;
  auto whole = packets(5, 64).front();
  store_big_endian(&whole[64], item_pointer::addressed(0x4300, 64).word());
  const auto empty = assembler.add(whole);
  ASSERT_TRUE(empty.has_value());
  EXPECT_EQ(empty->find(0x4300)->bytes.size(), 0u);
  store_big_endian(&whole[64], item_pointer::addressed(0x4300, 65).word());
  EXPECT_FALSE(assembler.add(whole).has_value());
  EXPECT_EQ(assembler.counts().invalid, 1u);
}

TEST(spead_heap_assembler, recognises_the_end_of_a_stream) {
  heap_assembler assembler;
  const auto heap = assembler.add(packets_of(stop_heap(4), {}).front());
  ASSERT_TRUE(heap.has_value());
  EXPECT_TRUE(heap->is_stop());
  EXPECT_TRUE(heap->items().empty());
  EXPECT_THROW(heap_assembler({.max_heaps = 0}), wingbeat::plan_error);
}

}  // namespace
