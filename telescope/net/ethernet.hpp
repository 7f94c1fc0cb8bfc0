// SPDX-License-Identifier: Apache-2.0
// Frames in captures, of IPv4 and UDP: those of Ethernet, with or without VLAN tags, those of Linux
// of any interface, and packets alone.
#pragma once

#include <cstddef>  // byte, size_t
#include <cstdint>  // uint16_t
#include <span>

#include "net/endpoint.hpp"  // endpoint

namespace wingbeat::net {

enum class frame_kind {
  udp,
  other,     ///< Another protocol than UDP over IPv4, or damaged.
  fragment,  ///< A part of a datagram that IPv4 fragmented.
  truncated  ///< Captured in part.
};

struct frame {
  endpoint source = {}, destination = {};
  std::span<const std::byte> payload = {};  ///< Of a fragment with UDP's header, where it has that.
  std::uint16_t number = 0;                 ///< Of the datagram that a fragment is of.
  std::size_t offset = 0;                   ///< Of a fragment in it.
  bool is_last = true;                      ///< Of the fragments.
};

/// Returns whether frames of a link type are read.
[[nodiscard]] bool is_known_link(unsigned link);

/// Reads a frame of a known link type; `captured` are the bytes that were kept.
[[nodiscard]] frame_kind parse_frame(std::span<const std::byte> captured, unsigned link,
                                     frame& found);

/// Reads a datagram with UDP's header, into a frame that has its addresses.
[[nodiscard]] frame_kind parse_udp(std::span<const std::byte> datagram, frame& found);

}  // namespace wingbeat::net
