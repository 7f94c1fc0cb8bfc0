// SPDX-License-Identifier: Apache-2.0
// Descriptors, byte for byte as another implementation writes them, and read again.
#include "spead/descriptor.hpp"

#include <gtest/gtest.h>

#include "spead/bytes.hpp"           // from_hex, to_hex
#include "spead/channel_heap.hpp"    // channel_heap_format, descriptors_of
#include "spead/heap_assembler.hpp"  // heap_assembler

namespace {

using namespace wingbeat::spead;
using namespace wingbeat::test;

TEST(spead_descriptor, of_an_immediate_item_has_the_bytes_of_the_protocol) {
  const descriptor item = immediate_descriptor(0x4101, "feng_id", "y");
  const std::string expected =
      "5304020600000009 8001000000000001 800200000000000b 8003000000000000 800400000000000b"
      "8014000000004101 0010000000000000 0011000000000007 0013000000000008 001200000000000b"
      "66656e675f6964 79 750030";
  EXPECT_EQ(to_hex(encode(item)), to_hex(from_hex(expected)));
  EXPECT_EQ(decode_descriptor(encode(item)), item);
}

TEST(spead_descriptor, of_an_array_has_the_bytes_of_the_protocol) {
  const descriptor item = array_descriptor(0x4300, "feng_raw", "w", "|i1", {4, 5, 2, 2});
  const std::string expected =
      "530402060000000a 8001000000000001 8002000000000064 8003000000000000 8004000000000064"
      "8014000000004300 0010000000000000 0011000000000008 0013000000000009 0012000000000009"
      "0015000000000025 66656e675f726177 77"
      "00000000000004 00000000000005 00000000000002 00000000000002"
      "7b276465736372273a20277c6931272c2027666f727472616e5f6f72646572273a2046616c73652c20277368"
      "617065273a2028342c20352c20322c2032297d";
  EXPECT_EQ(to_hex(encode(item)), to_hex(from_hex(expected)));
  EXPECT_EQ(decode_descriptor(encode(item)), item);
  EXPECT_EQ(array_descriptor(1, "", "", ">u2", {7}).numpy_header,
            "{'descr': '>u2', 'fortran_order': False, 'shape': (7,)}");
  const descriptor scalar = array_descriptor(0x4300, "gain", "w", "<f4", {});
  EXPECT_EQ(decode_descriptor(encode(scalar)), scalar);
}

TEST(spead_descriptor, keeps_an_axis_of_variable_length) {
  const descriptor item{.id = 0x4300,
                        .name = "feng_raw",
                        .description = "w",
                        .shape = {4, std::nullopt, 2, 2},
                        .format = {{'i', 4}},
                        .numpy_header = {}};
  const std::string expected =
      "5304020600000009 8001000000000001 8002000000000028 8003000000000000 8004000000000028"
      "8014000000004300 0010000000000000 0011000000000008 0013000000000009 001200000000000c"
      "66656e675f726177 77 690004 00000000000004 01000000000000 00000000000002 00000000000002";
  EXPECT_EQ(to_hex(encode(item)), to_hex(from_hex(expected)));
  EXPECT_EQ(decode_descriptor(encode(item)), item);
}

TEST(spead_descriptor, of_all_items_of_a_channeliser_makes_one_heap) {
  for (const auto samples :
       {wingbeat::heap_sample::int4, wingbeat::heap_sample::int8, wingbeat::heap_sample::fp32}) {
    const channel_heap_format format{
        .channels = 64, .spectra = 256, .samples = samples, .has_missing = true};
    const auto described = descriptors_of(format);
    const auto built = descriptor_heap(described);
    heap_assembler assembler;
    std::optional<heap> received;
    for (const auto& packet : packets_of(built.heap(1), {.packet_bytes = 200})) {
      received = assembler.add(packet);
    }
    ASSERT_TRUE(received.has_value());
    ASSERT_EQ(received->items().size(), 5u);
    for (std::size_t i = 0; i < 5; ++i) {
      EXPECT_EQ(received->items()[i].id, item::descriptor);
      EXPECT_EQ(decode_descriptor(received->items()[i].bytes), described[i]) << i;
    }
  }
}

TEST(spead_descriptor, is_none_for_other_bytes) {
  const auto good = encode(immediate_descriptor(0x4101, "feng_id", "y"));
  EXPECT_FALSE(decode_descriptor({}).has_value());
  EXPECT_FALSE(decode_descriptor(std::span(good).first(good.size() - 1)).has_value());
  auto without_id = good;
  without_id[41] = std::byte{0x77};
  EXPECT_FALSE(decode_descriptor(without_id).has_value());
  auto beyond = good;
  beyond[8 * 6 + 7] = std::byte{0xff};  // the name's offset
  EXPECT_FALSE(decode_descriptor(beyond).has_value());
  auto format = good;
  format[8 * 9 + 7] = std::byte{0xa};  // The shape starts a byte earlier: a format of two bytes.
  EXPECT_FALSE(decode_descriptor(format).has_value());
}

}  // namespace
