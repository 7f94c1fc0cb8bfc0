// SPDX-License-Identifier: Apache-2.0
#include "net/ethernet.hpp"

namespace wingbeat::net {
namespace {

constexpr std::size_t addresses_bytes = 12, tag_bytes = 4, ip_bytes = 20, udp_bytes = 8;
constexpr unsigned ipv4 = 0x0800, udp = 17, max_tags = 4;

unsigned load16(std::span<const std::byte> bytes, std::size_t position) {
  return std::to_integer<unsigned>(bytes[position]) << 8 |
         std::to_integer<unsigned>(bytes[position + 1]);
}

bool is_tag(unsigned type) {
  return type == 0x8100 || type == 0x88a8 || type == 0x9100;
}

frame_kind parse_ip(std::span<const std::byte> packet, frame& found) {
  if (packet.size() < ip_bytes) return frame_kind::truncated;
  const auto version_and_length = std::to_integer<unsigned>(packet[0]);
  const std::size_t header = version_and_length % 16 * 4, length = load16(packet, 2);
  if (version_and_length / 16 != 4 || header < ip_bytes || length < header) {
    return frame_kind::other;
  }
  if (std::to_integer<unsigned>(packet[9]) != udp) return frame_kind::other;
  if ((load16(packet, 6) & 0x3fff) != 0) return frame_kind::fragment;  // offset, or more to come
  if (length > packet.size()) return frame_kind::truncated;
  const auto datagram = packet.subspan(header, length - header);  // without the frame's padding
  if (datagram.size() < udp_bytes) return frame_kind::other;
  const std::size_t n_bytes = load16(datagram, 4);
  if (n_bytes < udp_bytes || n_bytes > datagram.size()) return frame_kind::other;
  const auto place = [&](std::size_t address, std::size_t port) {
    return endpoint{load16(packet, address) << 16 | load16(packet, address + 2),
                    static_cast<std::uint16_t>(load16(datagram, port))};
  };
  found = {place(12, 0), place(16, 2), datagram.subspan(udp_bytes, n_bytes - udp_bytes)};
  return frame_kind::udp;
}

}  // namespace

frame_kind parse_frame(std::span<const std::byte> captured, frame& found) {
  std::size_t position = addresses_bytes;
  for (unsigned n_tags = 0; n_tags <= max_tags; ++n_tags, position += tag_bytes) {
    if (captured.size() < position + 2) return frame_kind::truncated;
    const unsigned type = load16(captured, position);
    if (type == ipv4) return parse_ip(captured.subspan(position + 2), found);
    if (!is_tag(type)) return frame_kind::other;
  }
  return frame_kind::other;
}

}  // namespace wingbeat::net
