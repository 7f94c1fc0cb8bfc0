// SPDX-License-Identifier: Apache-2.0
// Packets whose bytes another implementation wrote, and each fault of a datagram.
#include "spead/packet.hpp"

#include <gtest/gtest.h>

#include "spead/bytes.hpp"             // counting_bytes, from_hex, to_hex
#include "spead/digitiser_packet.hpp"  // digitiser_packet

namespace {

using namespace wingbeat::spead;
using namespace wingbeat::test;

constexpr const char* digitiser_hex =
    "5304020600000008 8001000000000008 8002000000001400 8003000000000000 8004000000001400"
    "9600000000007000 b101000000000001 b102000700000002 3300000000000000";

std::vector<std::byte> digitiser_datagram() {
  auto bytes = from_hex(digitiser_hex);
  const auto samples = counting_bytes(5120);
  bytes.insert(bytes.end(), samples.begin(), samples.end());
  return bytes;
}

TEST(spead_packet, of_a_digitiser_has_the_bytes_of_the_protocol) {
  const auto samples = counting_bytes(5120);
  const auto preamble = preamble_of({.heap_id = 8,
                                     .timestamp = 0x7000,
                                     .polarisation = 1,
                                     .saturated = 7,
                                     .is_saturated = true,
                                     .samples = samples});
  EXPECT_EQ(to_hex(preamble), to_hex(from_hex(digitiser_hex)));
}

TEST(spead_packet, of_a_digitiser_is_decoded) {
  const auto datagram = digitiser_datagram();
  digitiser_packet found;
  packet_fault fault{};
  ASSERT_EQ(decode(datagram, 5120, found, fault), digitiser_verdict::good);
  EXPECT_EQ(found.heap_id, 8u);
  EXPECT_EQ(found.timestamp, 0x7000u);
  EXPECT_EQ(found.polarisation, 1u);
  EXPECT_EQ(found.saturated, 7u);
  EXPECT_TRUE(found.is_saturated);
  EXPECT_EQ(found.samples.data(), datagram.data() + 72);
  EXPECT_EQ(found.samples.size(), 5120u);
}

TEST(spead_packet, keeps_pointers_in_any_order) {
  const auto datagram = from_hex(
      "5304020600000006 9600000000000001 8004000000000002 8003000000000003 8002000000000005"
      "0000000000000000 8001ffffffffffff 6162");
  packet found;
  std::vector<item_pointer> visited;
  ASSERT_EQ(decode(datagram, found, [&](item_pointer p) { visited.push_back(p); }),
            packet_fault::none);
  EXPECT_EQ(found.heap_id, max_address);
  EXPECT_EQ(found.heap_length, 5u);
  EXPECT_EQ(found.payload_offset, 3u);
  EXPECT_EQ(to_hex(found.payload), "6162");
  EXPECT_FALSE(found.is_whole_heap());
  ASSERT_EQ(visited.size(), 1u);
  EXPECT_EQ(visited[0], item_pointer::immediate(0x1600, 1));
}

TEST(spead_packet, is_refused_for_the_fault_it_has) {
  const auto fault_of = [](std::string_view digits) {
    packet found;
    return decode(from_hex(digits), found);
  };
  const std::string id = "8001000000000001", length = "8002000000000002",
                    offset = "8003000000000000", size = "8004000000000002";
  const std::string good = "5304020600000004" + id + length + offset + size + "6162";
  EXPECT_EQ(fault_of(good), packet_fault::none);
  EXPECT_EQ(fault_of(""), packet_fault::too_short);
  EXPECT_EQ(fault_of("53040206000000"), packet_fault::too_short);
  EXPECT_EQ(fault_of("5204020600000000"), packet_fault::wrong_flavour);
  EXPECT_EQ(fault_of("5303020600000000"), packet_fault::wrong_flavour);
  EXPECT_EQ(fault_of("5304030500000000"), packet_fault::wrong_flavour);
  EXPECT_EQ(fault_of("5304020600010000"), packet_fault::wrong_flavour);
  EXPECT_EQ(fault_of("530402060000ffff" + id), packet_fault::pointers_beyond_end);
  EXPECT_EQ(fault_of("5304020600000005" + id + length + offset + size + "6162"),
            packet_fault::pointers_beyond_end);
  EXPECT_EQ(fault_of("5304020600000000"), packet_fault::missing_field);
  EXPECT_EQ(fault_of("5304020600000003" + length + offset + size + "6162"),
            packet_fault::missing_field);
  EXPECT_EQ(fault_of("5304020600000003" + id + offset + size + "6162"),
            packet_fault::missing_field);
  EXPECT_EQ(fault_of("5304020600000003" + id + length + size + "6162"),
            packet_fault::missing_field);
  EXPECT_EQ(fault_of("5304020600000003" + id + length + offset + "6162"),
            packet_fault::missing_field);
  // A field that is addressed is none.
  EXPECT_EQ(fault_of("5304020600000004" + id + "0002000000000002" + offset + size + "6162"),
            packet_fault::missing_field);
  EXPECT_EQ(fault_of("5304020600000004" + id + length + offset + size + "61"),
            packet_fault::payload_beyond_end);
  EXPECT_EQ(fault_of("5304020600000004" + id + length + offset + "8004ffffffffffff" + "6162"),
            packet_fault::payload_beyond_end);
  EXPECT_EQ(fault_of("5304020600000004" + id + length + "8003000000000001" + size + "6162"),
            packet_fault::payload_beyond_heap);
  EXPECT_EQ(fault_of("5304020600000004" + id + length + "8003ffffffffffff" + size + "6162"),
            packet_fault::payload_beyond_heap);
  EXPECT_EQ(fault_of(good + "63"), packet_fault::none) << "bytes behind the payload";
}

TEST(spead_packet, of_another_kind_has_its_own_verdict) {
  packet_fault fault{};
  digitiser_packet found;
  const auto verdict = [&](std::span<const std::byte> datagram) {
    return decode(datagram, 5120, found, fault);
  };
  EXPECT_EQ(verdict(from_hex("00")), digitiser_verdict::undecodable);
  EXPECT_EQ(fault, packet_fault::too_short);
  EXPECT_EQ(verdict(from_hex("5304020600000006 8001000000000009 8002000000000001 8003000000000000"
                             "8004000000000001 8006000000000002 0000000000000000 00")),
            digitiser_verdict::stop);
  EXPECT_EQ(verdict(from_hex("5304020600000005 8001000000000009 8002000000000001 8003000000000000"
                             "8004000000000001 0005000000000000 00")),
            digitiser_verdict::descriptors);
  for (const std::size_t pointer : {5, 6, 8}) {
    auto datagram = digitiser_datagram();
    datagram[8 * pointer + 1] ^= std::byte{0x40};
    EXPECT_EQ(verdict(datagram), digitiser_verdict::foreign) << pointer;
  }
  auto without_status = digitiser_datagram();
  without_status[8 * 7 + 1] ^= std::byte{0x40};
  EXPECT_EQ(verdict(without_status), digitiser_verdict::good);
  EXPECT_EQ(found.saturated, 0);
  EXPECT_EQ(decode(digitiser_datagram(), 5119, found, fault), digitiser_verdict::wrong_size);
  auto part = digitiser_datagram();
  store_big_endian(&part[32], item_pointer::immediate(item::payload_length, 5000).word());
  EXPECT_EQ(verdict(part), digitiser_verdict::wrong_size);
}

}  // namespace
