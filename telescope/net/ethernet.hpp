// SPDX-License-Identifier: Apache-2.0
// Ethernet frames in captures: IPv4 and UDP, with or without VLAN tags.
#pragma once

#include <cstddef>  // byte
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
  std::span<const std::byte> payload = {};
};

/// Reads a frame; `captured` are the bytes that were kept.
[[nodiscard]] frame_kind parse_frame(std::span<const std::byte> captured, frame& found);

}  // namespace wingbeat::net
