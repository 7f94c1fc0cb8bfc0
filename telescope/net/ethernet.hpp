// SPDX-License-Identifier: Apache-2.0
// Frames of Ethernet, as captures hold them: IPv4 and UDP, behind tags of VLANs or none.
#pragma once

#include <cstddef>  // byte
#include <span>

#include "net/endpoint.hpp"  // endpoint

namespace wingbeat::net {

enum class frame_kind {
  udp,
  other,     ///< Another protocol than UDP over IPv4, or damaged.
  fragment,  ///< Of a datagram that IPv4 cut in several.
  truncated  ///< Captured in part.
};

struct frame {
  endpoint source = {}, destination = {};
  std::span<const std::byte> payload = {};
};

/// Reads a frame of which `captured` is what was kept.
[[nodiscard]] frame_kind parse_frame(std::span<const std::byte> captured, frame& found);

}  // namespace wingbeat::net
