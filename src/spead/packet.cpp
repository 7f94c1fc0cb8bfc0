// SPDX-License-Identifier: Apache-2.0
#include "spead/packet.hpp"

namespace wingbeat::spead {

std::string_view to_string(packet_fault fault) {
  switch (fault) {
    case packet_fault::none: return "no fault";
    case packet_fault::too_short: return "shorter than a header";
    case packet_fault::wrong_flavour: return "not SPEAD-64-48";
    case packet_fault::pointers_beyond_end: return "item pointers beyond its end";
    case packet_fault::missing_field: return "no heap id, heap length, payload offset or length";
    case packet_fault::payload_beyond_end: return "payload beyond its end";
    case packet_fault::payload_beyond_heap: return "payload beyond the heap's length";
  }
  return "an unknown fault";
}

packet_fault decode(std::span<const std::byte> datagram, packet& found) {
  return decode(datagram, found, [](item_pointer) {});
}

}  // namespace wingbeat::spead
