// SPDX-License-Identifier: Apache-2.0
// Heaps cut to packets, byte for byte as another implementation cuts them.
#include "spead/packetiser.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "spead/bytes.hpp"         // counting_bytes, from_hex, to_hex
#include "spead/channel_heap.hpp"  // outgoing
#include "wingbeat/error.hpp"      // plan_error

namespace {

using namespace wingbeat::spead;
using namespace wingbeat::test;
using ::testing::HasSubstr;

/// 4 channels, 5 spectra, 2 polarisations, 8 bits.
constexpr channel_heap_format format{.channels = 4, .spectra = 5};

outgoing_heap small_heap(std::span<const std::byte> voltages) {
  return outgoing({.timestamp = 0x10000, .engine = 3, .first_channel = 64, .voltages = voltages},
                  format, 5);
}

void expect_packets(const std::vector<std::vector<std::byte>>& packets,
                    const std::vector<std::string>& expected) {
  ASSERT_EQ(packets.size(), expected.size());
  for (std::size_t i = 0; i < packets.size(); ++i) {
    EXPECT_EQ(to_hex(packets[i]), to_hex(from_hex(expected[i]))) << "packet " << i;
  }
}

TEST(spead_packetiser, repeats_pointers_in_each_packet) {
  ASSERT_EQ(format.heap_bytes(), 80u);
  const auto voltages = counting_bytes(80);
  const std::string items = "9600000000010000 c101000000000003 c103000000000040 4300000000000000";
  expect_packets(
      packets_of(small_heap(voltages), {.packet_bytes = 72 + 32, .repeats_pointers = true}),
      {"5304020600000008 8001000000000005 8002000000000050 8003000000000000 8004000000000020" +
           items + to_hex(counting_bytes(32)),
       "5304020600000008 8001000000000005 8002000000000050 8003000000000020 8004000000000020" +
           items + to_hex(counting_bytes(32, 32)),
       "5304020600000008 8001000000000005 8002000000000050 8003000000000040 8004000000000010" +
           items + to_hex(counting_bytes(16, 64))});
}

TEST(spead_packetiser, fills_packets_without_pointers_with_payload) {
  const auto voltages = counting_bytes(80);
  // 111 bytes are 104: lengths are rounded down to multiples of 8.
  expect_packets(
      packets_of(small_heap(voltages), {.packet_bytes = 111}),
      {"5304020600000008 8001000000000005 8002000000000050 8003000000000000 8004000000000020"
       "9600000000010000 c101000000000003 c103000000000040 4300000000000000" +
           to_hex(counting_bytes(32)),
       "5304020600000004 8001000000000005 8002000000000050 8003000000000020 8004000000000030" +
           to_hex(counting_bytes(48, 32))});
}

TEST(spead_packetiser, pads_a_heap_without_payload) {
  expect_packets(packets_of(stop_heap(9), {}),
                 {"5304020600000006 8001000000000009 8002000000000001 8003000000000000"
                  "8004000000000001 8006000000000002 0000000000000000 00"});
  expect_packets(packets_of({.id = 9}, {}),
                 {"5304020600000005 8001000000000009 8002000000000001 8003000000000000"
                  "8004000000000001 0000000000000000 00"});
}

TEST(spead_packetiser, knows_the_number_of_packets) {
  for (const bool repeats : {false, true}) {
    for (std::size_t n_bytes = 0; n_bytes < 200; n_bytes += 7) {
      const auto voltages = counting_bytes(n_bytes);
      packetiser source(small_heap(voltages), {.packet_bytes = 96, .repeats_pointers = repeats});
      const std::size_t expected = source.n_packets();
      std::size_t count = 0;
      for (; !source.is_done(); ++count) (void)source.next();
      EXPECT_EQ(count, expected) << n_bytes << " bytes, " << repeats;
    }
  }
}

TEST(spead_packetiser, refuses_what_has_no_room) {
  const auto voltages = counting_bytes(80);
  try {
    packetiser source(small_heap(voltages), {.packet_bytes = 79});
    FAIL() << "no room, and no refusal";
  } catch (const wingbeat::plan_error& refused) {
    EXPECT_THAT(refused.what(), HasSubstr("packets of 79 bytes have no room for 4 items"));
    EXPECT_THAT(refused.what(), HasSubstr("80 bytes or more"));
  }
  EXPECT_NO_THROW(packetiser(small_heap(voltages), {.packet_bytes = 80}));
  EXPECT_THROW(packetiser({.id = max_address + 1}, {}), wingbeat::plan_error);
}

}  // namespace
