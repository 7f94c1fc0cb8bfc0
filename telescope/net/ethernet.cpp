// SPDX-License-Identifier: Apache-2.0
#include "net/ethernet.hpp"

#include <algorithm>  // ranges::find
#include <iterator>   // end
#include <optional>

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
  if (length > packet.size()) return frame_kind::truncated;
  const auto datagram = packet.subspan(header, length - header);  // without the frame's padding
  const auto address = [&](std::size_t place) {
    return endpoint{load16(packet, place) << 16 | load16(packet, place + 2), 0};
  };
  found = {.source = address(12), .destination = address(16), .payload = datagram};
  const unsigned place = load16(packet, 6), more = 0x2000;
  if ((place & 0x3fff) == 0) return parse_udp(datagram, found);
  found.number = static_cast<std::uint16_t>(load16(packet, 4));
  found.offset = place % more * 8;
  found.is_last = (place & more) == 0;
  return frame_kind::fragment;
}

/// Where the packets of links begin that have no tags, and where their type stands.
struct link_layout {
  unsigned link = 0;
  std::size_t header_bytes = 0;
  std::optional<std::size_t> type_at = {};
};
constexpr unsigned ethernet = 1;
constexpr link_layout layouts[] = {{12}, {101}, {228}, {113, 16, 14}, {276, 20, 0}};

}  // namespace

bool is_known_link(unsigned link) {
  return link == ethernet ||
         std::ranges::find(layouts, link, &link_layout::link) != std::end(layouts);
}

frame_kind parse_udp(std::span<const std::byte> datagram, frame& found) {
  if (datagram.size() < udp_bytes) return frame_kind::other;
  const std::size_t n_bytes = load16(datagram, 4);
  if (n_bytes < udp_bytes || n_bytes > datagram.size()) return frame_kind::other;
  found.source.port = static_cast<std::uint16_t>(load16(datagram, 0));
  found.destination.port = static_cast<std::uint16_t>(load16(datagram, 2));
  found.payload = datagram.subspan(udp_bytes, n_bytes - udp_bytes);
  return frame_kind::udp;
}

frame_kind parse_frame(std::span<const std::byte> captured, unsigned link, frame& found) {
  const auto* const layout = std::ranges::find(layouts, link, &link_layout::link);
  if (layout != std::end(layouts)) {
    if (captured.size() < layout->header_bytes) return frame_kind::truncated;
    if (layout->type_at && load16(captured, *layout->type_at) != ipv4) return frame_kind::other;
    return parse_ip(captured.subspan(layout->header_bytes), found);
  }
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
