// SPDX-License-Identifier: Apache-2.0
// Samples and voltages in heaps that hold descriptors or a stop beside them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "receive/batch_assembly.hpp"
#include "receive/channel_stream.hpp"  // heap_packets, expect_voltages
#include "receive/packets.hpp"         // chunk_bench, datagram_of
#include "receive/traffic.hpp"         // expect_all_counted
#include "spead/packet.hpp"            // decode, packet

namespace {

using namespace wingbeat::receive;
using namespace wingbeat::test;
using ::testing::ElementsAre;
namespace spead = wingbeat::spead;
namespace item = spead::item;
using spead::item_pointer;

/// What stands beside the item of a heap: bytes of descriptors before and behind it, and a stop.
struct surroundings {
  std::size_t front = 0, back = 0;
  bool is_stop = false;
};

/// Returns a packet of the heap that has more items.
std::vector<std::byte> beside(std::span<const std::byte> datagram, const surroundings& more) {
  spead::packet packet;
  EXPECT_EQ(decode(datagram, packet), spead::packet_fault::none);
  const bool is_first = packet.payload_offset == 0;
  const bool is_last = packet.payload_offset + packet.payload.size() == packet.heap_length;
  const std::size_t front = is_first ? more.front : 0, back = is_last ? more.back : 0;
  std::vector<item_pointer> pointers;
  for (std::size_t i = 0; i < packet.n_pointers(); ++i) {
    const item_pointer next = packet.pointer(i);
    std::uint64_t value = next.value();
    if (next.id() == item::heap_length) value += more.front + more.back;
    if (next.id() == item::payload_offset && !is_first) value += more.front;
    if (next.id() == item::payload_length) value += front + back;
    pointers.push_back(next.is_immediate()
                           ? item_pointer::immediate(next.id(), value)
                           : item_pointer::addressed(next.id(), value + more.front));
  }
  if (more.front > 0) pointers.push_back(item_pointer::addressed(item::descriptor, 0));
  if (more.back > 0) {
    pointers.push_back(item_pointer::addressed(item::descriptor, more.front + packet.heap_length));
  }
  if (more.is_stop) {
    pointers.push_back(item_pointer::immediate(item::stream_control, spead::stop_stream));
  }
  std::vector<std::byte> bytes(8 + 8 * pointers.size());
  spead::store_big_endian(bytes.data(), spead::header_magic << 16 | pointers.size());
  for (std::size_t i = 0; i < pointers.size(); ++i) {
    spead::store_big_endian(&bytes[8 + 8 * i], pointers[i].word());
  }
  bytes.resize(bytes.size() + front, std::byte{0xdd});
  bytes.insert(bytes.end(), packet.payload.begin(), packet.payload.end());
  bytes.resize(bytes.size() + back, std::byte{0xee});
  return bytes;
}

constexpr surroundings all_surroundings[] = {{.front = 100},
                                             {.back = 100},
                                             {.front = 8, .back = 300},
                                             {.is_stop = true},
                                             {.front = 40, .is_stop = true}};

TEST(samples_beside_items, are_a_digitisers_samples) {
  for (const surroundings& more : all_surroundings) {
    chunk_bench bench;
    for (std::int64_t i = 0; i < 16; ++i) {
      bench.add(beside(datagram_of(4096 * i, 0), more));
      bench.add(datagram_of(4096 * i, 1));
    }
    bench.flush();
    EXPECT_THAT(bench.ready(), ElementsAre(0));  // with the contents that are due
    const receive_counts counts = bench.counts();
    expect_all_counted(counts);
    EXPECT_EQ(counts.placed(), 32U) << more.front << " " << more.back;
    EXPECT_EQ(counts.incomplete_chunks, 0U);
  }
}

TEST(samples_beside_items, are_of_the_size_that_is_due) {
  chunk_bench bench;
  const auto half = datagram_of(0, 0, {.packet_samples = 2048});
  bench.add(beside(half, {.back = small_chunks.packet_bytes() / 2}));
  bench.flush();
  EXPECT_EQ(bench.counts().wrong_size, 1U);
}

TEST(samples_beside_items, are_an_engines_voltages) {
  for (const surroundings& more : all_surroundings) {
    std::vector<channel_batch> batches;
    batch_assembly assembly(
        {.layout = {.channels = 64, .channels_per_substream = 16, .spectra = 8}},
        [&](channel_batch&& batch) { batches.push_back(std::move(batch)); });
    for (std::size_t s = 0; s < 4; ++s) {
      for (const auto& packet : heap_packets(5, s)) assembly.add(beside(packet, more));
    }
    assembly.flush();
    ASSERT_EQ(batches.size(), 1U) << more.front << " " << more.back;
    EXPECT_TRUE(batches[0].is_complete()) << more.front << " " << more.back;
    expect_voltages(batches[0]);
    EXPECT_EQ(assembly.counts().packets, 16U);
    EXPECT_EQ(assembly.counts().stops, more.is_stop ? 16U : 0U);
  }
}

}  // namespace
