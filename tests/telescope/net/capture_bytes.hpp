// SPDX-License-Identifier: Apache-2.0
// Captures written byte by byte.
#pragma once

#include <cstddef>  // byte
#include <cstdint>  // uint16_t, uint32_t, uint64_t
#include <span>
#include <vector>

namespace wingbeat::test {

using octets = std::vector<std::byte>;

inline void put(octets& bytes, std::uint64_t value, std::size_t n_bytes, bool big_endian) {
  for (std::size_t i = 0; i < n_bytes; ++i) {
    const std::size_t shift = 8 * (big_endian ? n_bytes - 1 - i : i);
    bytes.push_back(static_cast<std::byte>(shift < 64 ? value >> shift & 0xff : 0));
  }
}

inline void put(octets& bytes, std::span<const std::byte> more) {
  bytes.insert(bytes.end(), more.begin(), more.end());
}

/// How a frame is wrapped.
struct frame_options {
  std::size_t n_tags = 0;       ///< Of VLANs.
  std::size_t n_options = 0;    ///< Words behind the IPv4 header.
  std::size_t padding = 0;      ///< Bytes behind the datagram.
  std::uint16_t type = 0x0800;  ///< Of what Ethernet carries.
  std::uint8_t protocol = 17;   ///< Of what IPv4 carries.
  std::uint16_t fragment = 0;   ///< Flags and offset of IPv4.
  std::uint16_t number = 0;     ///< Of the datagram that fragments are of.
  bool has_udp = true;          ///< UDP's header is before the payload.
  std::size_t udp_bytes = 0;    ///< That it states; 0: those of the payload.
};

/// Returns a frame of Ethernet from 10.0.0.1:5 to 239.1.2.3:7148.
inline octets frame_of(std::span<const std::byte> payload, const frame_options& how = {}) {
  octets frame(12, std::byte{2});
  for (std::size_t i = 0; i < how.n_tags; ++i) {
    put(frame, i == 0 && how.n_tags == 2 ? 0x88a8 : 0x8100, 2, true);
    put(frame, 7, 2, true);
  }
  put(frame, how.type, 2, true);
  put(frame, 0x45 + how.n_options, 1, true);
  put(frame, 0, 1, true);
  put(frame, 20 + 4 * how.n_options + (how.has_udp ? 8 : 0) + payload.size(), 2, true);
  put(frame, how.number, 2, true);
  put(frame, how.fragment, 2, true);
  put(frame, 64, 1, true);
  put(frame, how.protocol, 1, true);
  put(frame, 0, 2, true);
  put(frame, 0x0a000001, 4, true);
  put(frame, 0xef010203, 4, true);
  put(frame, 0, 4 * how.n_options, true);
  if (how.has_udp) {
    put(frame, 5, 2, true);
    put(frame, 7148, 2, true);
    put(frame, how.udp_bytes > 0 ? how.udp_bytes : 8 + payload.size(), 2, true);
    put(frame, 0, 2, true);
  }
  put(frame, payload);
  frame.resize(frame.size() + how.padding);
  return frame;
}

/// How a capture is written.
struct capture_options {
  bool big_endian = false;
  bool nanoseconds = false;
  std::uint32_t link = 1;
};

inline octets pcap_header(const capture_options& how = {}) {
  octets file;
  put(file, how.nanoseconds ? 0xa1b23c4d : 0xa1b2c3d4, 4, how.big_endian);
  put(file, 2, 2, how.big_endian);
  put(file, 4, 2, how.big_endian);
  put(file, 0, 8, how.big_endian);
  put(file, 65535, 4, how.big_endian);
  put(file, how.link, 4, how.big_endian);
  return file;
}

/// Appends a frame of which `n_kept` bytes were captured.
inline void put_pcap(octets& file, std::span<const std::byte> frame, std::uint64_t time_ns,
                     const capture_options& how = {}, std::size_t n_kept = 1 << 20) {
  const auto kept = frame.first(std::min(n_kept, frame.size()));
  put(file, time_ns / 1000000000, 4, how.big_endian);
  put(file, time_ns % 1000000000 / (how.nanoseconds ? 1 : 1000), 4, how.big_endian);
  put(file, kept.size(), 4, how.big_endian);
  put(file, frame.size(), 4, how.big_endian);
  put(file, kept);
}

inline void put_block(octets& file, std::uint32_t type, octets body, bool big_endian) {
  body.resize((body.size() + 3) / 4 * 4);
  put(file, type, 4, big_endian);
  put(file, body.size() + 12, 4, big_endian);
  put(file, body);
  put(file, body.size() + 12, 4, big_endian);
}

inline void put_section(octets& file, bool big_endian) {
  octets body;
  put(body, 0x1a2b3c4d, 4, big_endian);
  put(body, 1, 2, big_endian);
  put(body, 0, 2, big_endian);
  put(body, ~std::uint64_t{0}, 8, big_endian);
  put_block(file, 0x0a0d0d0a, body, big_endian);
}

/// Appends an interface whose clock ticks as `resolution` says (6: microseconds), from `offset_s`.
inline void put_interface(octets& file, const capture_options& how, unsigned resolution,
                          std::uint64_t offset_s = 0) {
  octets body;
  put(body, how.link, 2, how.big_endian);
  put(body, 0, 6, how.big_endian);
  put(body, 9, 2, how.big_endian);
  put(body, 1, 2, how.big_endian);
  put(body, resolution, 1, true);
  put(body, 0, 3, true);
  put(body, 14, 2, how.big_endian);
  put(body, 8, 2, how.big_endian);
  put(body, offset_s, 8, how.big_endian);
  put(body, 0, 4, true);
  put_block(file, 1, body, how.big_endian);
}

inline void put_enhanced(octets& file, std::span<const std::byte> frame, std::uint64_t ticks,
                         bool big_endian, std::uint32_t interface = 0) {
  octets body;
  put(body, interface, 4, big_endian);
  put(body, ticks >> 32, 4, big_endian);
  put(body, ticks & 0xffffffff, 4, big_endian);
  put(body, frame.size(), 4, big_endian);
  put(body, frame.size(), 4, big_endian);
  put(body, frame);
  put_block(file, 6, body, big_endian);
}

inline void put_simple(octets& file, std::span<const std::byte> frame, bool big_endian) {
  octets body;
  put(body, frame.size(), 4, big_endian);
  put(body, frame);
  put_block(file, 3, body, big_endian);
}

}  // namespace wingbeat::test
