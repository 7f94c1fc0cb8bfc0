// SPDX-License-Identifier: Apache-2.0
// Captures in both formats, both byte orders, and damaged.
#include "net/capture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>  // copy_n, min
#include <fstream>

#include "net/capture_bytes.hpp"   // put_pcap
#include "net/capture_writer.hpp"  // capture_writer
#include "spead/bytes.hpp"         // counting_bytes
#include "support/folder.hpp"
#include "support/refusal.hpp"  // message_of
#include "wingbeat/error.hpp"   // file_error

namespace {

using namespace wingbeat::net;
using namespace wingbeat::test;
using ::testing::HasSubstr;

capture_reader reader_of(const octets& file) {
  auto position = std::make_shared<std::size_t>(0);
  return {[file, position](std::span<std::byte> out) {
            const std::size_t count = std::min(out.size(), file.size() - *position);
            std::copy_n(file.begin() + static_cast<std::ptrdiff_t>(*position), count, out.begin());
            *position += count;
            return count;
          },
          "test.pcap"};
}

std::string refusal_of(const octets& file) {
  return message_of<wingbeat::file_error>([&] {
    capture_reader reader = reader_of(file);
    while (reader.next()) continue;
  });
}

void expect_datagram(capture_reader& reader, const octets& payload, std::int64_t time_ns) {
  const auto found = reader.next();
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(octets(found->payload.begin(), found->payload.end()), payload);
  EXPECT_EQ(found->time_ns, time_ns);
  EXPECT_EQ(to_string(found->source), "10.0.0.1:5");
  EXPECT_EQ(to_string(found->destination), "239.1.2.3:7148");
}

const octets first = counting_bytes(100), second = counting_bytes(33, 7);

TEST(net_capture, reads_pcap) {
  for (const bool big_endian : {false, true}) {
    for (const bool nanoseconds : {false, true}) {
      const capture_options how{.big_endian = big_endian, .nanoseconds = nanoseconds};
      octets file = pcap_header(how);
      put_pcap(file, frame_of(first, {.padding = 5}), 3000001000, how);
      put_pcap(file, frame_of(second, {.n_tags = 2, .n_options = 3}), 4000002123, how);
      capture_reader reader = reader_of(file);
      expect_datagram(reader, first, 3000001000);
      expect_datagram(reader, second, nanoseconds ? 4000002123 : 4000002000);
      EXPECT_FALSE(reader.next().has_value());
      EXPECT_EQ(reader.counts().datagrams, 2u);
    }
  }
}

TEST(net_capture, reads_pcapng) {
  for (const bool big_endian : {false, true}) {
    const capture_options how{.big_endian = big_endian};
    octets file;
    put_section(file, big_endian);
    put_interface(file, how, 6);
    put_interface(file, how, 0x80 + 10, 50);                 // 1/1024 s, 50 s late
    put_block(file, 5, counting_bytes(200000), big_endian);  // statistics
    put_enhanced(file, frame_of(first), 3000001, big_endian);
    put_enhanced(file, frame_of(second, {.n_tags = 1}), 1024 * 7 + 512, big_endian, 1);
    put_simple(file, frame_of(first), big_endian);
    put_section(file, !big_endian);
    put_interface(file, {.big_endian = !big_endian}, 9);
    put_enhanced(file, frame_of(second), std::uint64_t{5} << 32, !big_endian);
    capture_reader reader = reader_of(file);
    expect_datagram(reader, first, 3000001000);
    expect_datagram(reader, second, 57500000000);
    expect_datagram(reader, first, 57500000000);
    expect_datagram(reader, second, std::int64_t{5} << 32);
    EXPECT_FALSE(reader.next().has_value());
  }
}

TEST(net_capture, counts_what_is_no_whole_datagram) {
  octets file = pcap_header();
  put_pcap(file, frame_of(first, {.type = 0x0806}), 0);
  put_pcap(file, frame_of(first, {.protocol = 6}), 0);
  put_pcap(file, frame_of(first, {.n_tags = 5}), 0);
  put_pcap(file, frame_of(first, {.fragment = 0x2000}), 0);
  put_pcap(file, frame_of(first, {.fragment = 0x0007}), 0);
  put_pcap(file, frame_of(first, {.fragment = 0x4000}), 0);  // may not be cut: whole
  put_pcap(file, frame_of(first), 0, {}, 60);
  put_pcap(file, frame_of(first), 0, {}, 13);
  put_pcap(file, frame_of({}), 0);
  capture_reader reader = reader_of(file);
  while (reader.next()) continue;
  EXPECT_EQ(reader.counts().datagrams, 2u);
  EXPECT_EQ(reader.counts().others, 3u);
  EXPECT_EQ(reader.counts().fragments, 2u);
  EXPECT_EQ(reader.counts().truncated, 2u);
}

/// The packet of a frame behind another link's header: of Linux's of any interface its type at the
/// end or the beginning, of raw IP none.
octets packet_behind(std::size_t header_bytes, std::size_t type_at) {
  const octets frame = frame_of(first);
  octets packet(header_bytes, std::byte{1});
  if (header_bytes > 0) {
    packet[type_at] = std::byte{8};
    packet[type_at + 1] = std::byte{0};
  }
  packet.insert(packet.end(), frame.begin() + 14, frame.end());
  return packet;
}

TEST(net_capture, reads_frames_of_other_links_and_of_several_interfaces) {
  const std::pair<std::uint32_t, octets> links[] = {{101, packet_behind(0, 0)},
                                                    {113, packet_behind(16, 14)},
                                                    {276, packet_behind(20, 0)},
                                                    {1, frame_of(first)}};
  octets several;
  put_section(several, false);
  for (const auto& [link, packet] : links) {
    octets file = pcap_header({.link = link});
    put_pcap(file, packet, 1000);
    put_pcap(file, packet, 1000, {}, 12);
    capture_reader reader = reader_of(file);
    expect_datagram(reader, first, 1000);
    EXPECT_FALSE(reader.next().has_value());
    EXPECT_EQ(reader.counts().truncated, 1U) << link;
    put_interface(several, {.link = link}, 6);
  }
  for (std::uint32_t i = 0; i < 4; ++i) put_enhanced(several, links[i].second, i, false, i);
  capture_reader reader = reader_of(several);
  for (std::int64_t i = 0; i < 4; ++i) expect_datagram(reader, first, 1000 * i);
}

// Fragments of two datagrams come in turns, one of them twice, and a third is never whole.
TEST(net_capture, joins_fragments) {
  const std::span<const std::byte> bytes = first;
  const auto head = [&](std::uint16_t number) {
    return frame_of(bytes.first(40), {.fragment = 0x2000, .number = number, .udp_bytes = 108});
  };
  const auto tail = [&](std::uint16_t number) {
    return frame_of(bytes.subspan(40), {.fragment = 6, .number = number, .has_udp = false});
  };
  octets file = pcap_header();
  std::uint64_t time_ns = 0;
  for (const octets& frame : {tail(1), head(2), head(3), head(2), head(1), tail(2)}) {
    put_pcap(file, frame, time_ns += 1000);
  }
  capture_reader reader = reader_of(file);
  expect_datagram(reader, first, 5000);
  expect_datagram(reader, first, 6000);
  EXPECT_FALSE(reader.next().has_value());
  EXPECT_EQ(reader.counts().datagrams, 2U);
  EXPECT_EQ(reader.counts().fragments, 2U) << "the one that came twice, and that of number 3";
}

TEST(net_capture, refuses_other_files_in_one_sentence) {
  EXPECT_THAT(refusal_of({}), HasSubstr("test.pcap: is shorter than the header of a capture"));
  EXPECT_THAT(refusal_of(counting_bytes(100)), HasSubstr("is neither a pcap nor a pcapng file"));
  EXPECT_THAT(refusal_of({std::byte{0x1f}, std::byte{0x8b}, std::byte{8}, std::byte{0}}),
              HasSubstr("is packed by gzip, and neither a pcap nor a pcapng file"));
  EXPECT_THAT(refusal_of(pcap_header({.link = 105})),
              HasSubstr("from a link of type 105; Ethernet, raw IP and Linux's of any interface"));
  octets cut = pcap_header();
  put_pcap(cut, frame_of(first), 0);
  cut.pop_back();
  EXPECT_THAT(refusal_of(cut), HasSubstr("ends within frame 0"));
  octets long_frame = pcap_header();
  put_pcap(long_frame, frame_of(first), 0);
  long_frame[24 + 8 + 3] = std::byte{0x7f};
  EXPECT_THAT(refusal_of(long_frame), HasSubstr("at most 262144 are read"));
  octets cooked;
  put_section(cooked, false);
  put_interface(cooked, {.link = 105}, 6);
  EXPECT_EQ(refusal_of(cooked), "") << "no frame is of it";
  put_enhanced(cooked, frame_of(first), 0, false);
  EXPECT_THAT(refusal_of(cooked), HasSubstr("type 105"));
  octets unknown;
  put_section(unknown, false);
  put_enhanced(unknown, frame_of(first), 0, false);
  EXPECT_THAT(refusal_of(unknown), HasSubstr("an interface that it does not describe"));
  octets short_block;
  put_section(short_block, false);
  put(short_block, 5, 4, false);
  put(short_block, 8, 4, false);
  EXPECT_THAT(refusal_of(short_block), HasSubstr("a block of 8 bytes"));
}

TEST(net_capture, reads_what_is_written) {
  const folder place;
  const auto path = place.path() / "a.pcap";
  const endpoint source{0x0a000001, 5}, destination{0xef010203, 7148};
  octets both = first;
  both.insert(both.end(), second.begin(), second.end());
  const iovec pieces[] = {{both.data(), 30}, {both.data() + 30, both.size() - 30}};
  capture_writer writer{path};
  writer.add(source, destination, pieces, first.size());
  writer.add(source, destination, {&pieces[0], 1}, 0);
  EXPECT_FALSE(std::filesystem::exists(path));
  writer.commit();
  capture_reader reader = open_capture(path);
  for (const octets& payload : {first, second, octets(both.begin(), both.begin() + 30)}) {
    const auto found = reader.next();
    ASSERT_TRUE(found.has_value());
    EXPECT_EQ(octets(found->payload.begin(), found->payload.end()), payload);
    EXPECT_EQ(to_string(found->source), "10.0.0.1:5");
    EXPECT_EQ(to_string(found->destination), "239.1.2.3:7148");
  }
  EXPECT_FALSE(reader.next().has_value());
}

TEST(net_capture, opens_files) {
  const folder place;
  const auto path = place.path() / "a.pcap";
  octets file = pcap_header();
  put_pcap(file, frame_of(first), 1000);
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(file.data()), static_cast<std::streamsize>(file.size()));
  capture_reader reader = open_capture(path);
  expect_datagram(reader, first, 1000);
  EXPECT_THROW((void)open_capture(place.path() / "absent"), wingbeat::file_error);
}

}  // namespace
