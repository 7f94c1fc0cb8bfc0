// SPDX-License-Identifier: Apache-2.0
#include "spead/packet.hpp"

#include <algorithm>  // min

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

std::uint64_t packet::end_of_item(std::uint64_t offset) const {
  std::uint64_t end = heap_length;
  for (std::size_t i = 0; i < n_pointers(); ++i) {
    const item_pointer next = pointer(i);
    if (!next.is_immediate() && next.id() > item::payload_length && next.value() > offset) {
      end = std::min(end, next.value());
    }
  }
  return end;
}

std::size_t other_address_bytes(std::span<const std::byte> datagram) {
  if (datagram.size() < header_bytes) return 0;
  const std::uint64_t header = load_big_endian(datagram.data());
  const std::size_t id_bytes = header >> 40 & 0xff, address_bytes = header >> 32 & 0xff;
  const bool is_spead = header >> 48 == header_magic >> 32 && id_bytes + address_bytes == 8;
  return is_spead && header >> 16 != header_magic ? address_bytes : 0;
}

packet_fault decode(std::span<const std::byte> datagram, packet& found) {
  return decode(datagram, found, [](item_pointer) {});
}

}  // namespace wingbeat::spead
