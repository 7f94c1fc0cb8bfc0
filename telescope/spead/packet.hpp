// SPDX-License-Identifier: Apache-2.0
// One packet of SPEAD-64-48, decoded in one pass over its item pointers:
//     0x53 0x04 0x02 0x06 | 0 (2 bytes) | number of pointers (2) | pointers (8 each) | payload
#pragma once

#include <array>
#include <cstddef>  // byte, size_t
#include <cstdint>  // uint64_t
#include <span>
#include <string_view>

#include "spead/item.hpp"  // item_pointer

namespace wingbeat::spead {

/// Why a datagram is not a packet of SPEAD-64-48.
enum class packet_fault {
  none,
  too_short,            ///< Shorter than a header.
  wrong_flavour,        ///< A magic number, version or width other than SPEAD-64-48's.
  pointers_beyond_end,  ///< More pointers than the bytes hold.
  missing_field,        ///< No heap id, heap length, payload offset or payload length.
  payload_beyond_end,   ///< A longer payload than the bytes that follow.
  payload_beyond_heap   ///< Payload past the heap's length.
};
inline constexpr std::size_t n_packet_faults = 7;

/// Returns the fault in words: "shorter than a header".
[[nodiscard]] std::string_view to_string(packet_fault fault);

/// Views of a datagram's bytes, which must outlive it.
struct packet {
  std::uint64_t heap_id = 0, heap_length = 0, payload_offset = 0;
  std::span<const std::byte> pointers;  ///< All pointers, `pointer_bytes` each.
  std::span<const std::byte> payload;
  bool is_stop = false;         ///< A stream control item says that the stream ends.
  bool has_descriptor = false;  ///< It describes items.

  [[nodiscard]] std::size_t n_pointers() const { return pointers.size() / pointer_bytes; }
  [[nodiscard]] item_pointer pointer(std::size_t i) const {
    return item_pointer(load_big_endian(&pointers[i * pointer_bytes]));
  }

  /// Returns the packet's bytes in a datagram, which may hold further packets.
  [[nodiscard]] std::size_t n_bytes() const {
    return header_bytes + pointers.size() + payload.size();
  }

  /// Returns where the item at an offset of the heap ends, as far as these pointers tell: where the
  /// next one starts, or at the end of the heap.
  [[nodiscard]] std::uint64_t end_of_item(std::uint64_t offset) const;

  /// Returns whether the whole heap is in this packet.
  [[nodiscard]] bool is_whole_heap() const { return payload.size() == heap_length; }
};

/// The header up to the number of pointers.
inline constexpr std::uint64_t header_magic = 0x530402060000;

/// Decodes a datagram; `visit` is called with each pointer whose id is not 0 to 4 or 6. After a
/// fault, `found` is unspecified. Bytes after the payload are ignored. If an item occurs twice, the
/// last one counts.
template <class Visit>
[[nodiscard]] packet_fault decode(std::span<const std::byte> datagram, packet& found,
                                  Visit&& visit) {
  if (datagram.size() < header_bytes) return packet_fault::too_short;
  const std::uint64_t header = load_big_endian(datagram.data());
  if (header >> 16 != header_magic) return packet_fault::wrong_flavour;
  const std::size_t n_bytes = (header & 0xffff) * pointer_bytes;
  if (n_bytes > datagram.size() - header_bytes) return packet_fault::pointers_beyond_end;
  found = {};
  found.pointers = datagram.subspan(header_bytes, n_bytes);
  std::array<std::uint64_t, item::payload_length + 1> fields{};
  unsigned seen = 0;  // bit i: there was a field with id i
  for (std::size_t i = 0; i < found.n_pointers(); ++i) {
    const item_pointer next = found.pointer(i);
    if (next.id() <= item::payload_length) {
      if (!next.is_immediate()) continue;
      fields[next.id()] = next.value();
      seen |= 1u << next.id();
    } else if (next.id() == item::stream_control) {
      found.is_stop |= next.is_immediate() && next.value() == stop_stream;
    } else {
      found.has_descriptor |= next.id() == item::descriptor;
      visit(next);
    }
  }
  if ((seen | 1u << item::null) != 0b11111) return packet_fault::missing_field;
  found.heap_id = fields[item::heap_id];
  found.heap_length = fields[item::heap_length];
  found.payload_offset = fields[item::payload_offset];
  const std::uint64_t length = fields[item::payload_length];
  if (length > datagram.size() - header_bytes - n_bytes) return packet_fault::payload_beyond_end;
  // No sum of two numbers of 48 bits wraps.
  if (found.payload_offset + length > found.heap_length) return packet_fault::payload_beyond_heap;
  found.payload = datagram.subspan(header_bytes + n_bytes, length);
  return packet_fault::none;
}

/// Returns the bytes of heap addresses in a packet of another flavour of SPEAD, such as 5 for
/// SPEAD-64-40; 0 for other datagrams.
[[nodiscard]] std::size_t other_address_bytes(std::span<const std::byte> datagram);

/// The same without visiting pointers.
[[nodiscard]] packet_fault decode(std::span<const std::byte> datagram, packet& found);

}  // namespace wingbeat::spead
