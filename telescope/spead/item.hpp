// SPDX-License-Identifier: Apache-2.0
// Items of SPEAD-64-48. A pointer is 8 bytes, big-endian:
//     bit 63: 1 immediate, 0 addressed | bits 62..48: id | bits 47..0: value, or offset in the heap
#pragma once

#include <cstddef>  // byte
#include <cstdint>  // uint16_t, uint64_t

namespace wingbeat::spead {

/// Ids of items that the protocol defines; ids from 0x1000 on are the user's.
namespace item {
inline constexpr std::uint16_t null = 0x0, heap_id = 0x1, heap_length = 0x2, payload_offset = 0x3,
                               payload_length = 0x4, descriptor = 0x5, stream_control = 0x6,
                               // Only within descriptors:
    name = 0x10, description = 0x11, shape = 0x12, format = 0x13, id = 0x14, numpy_header = 0x15;
}  // namespace item

/// A value of `item::stream_control`: no heap follows.
inline constexpr std::uint64_t stop_stream = 2;

inline constexpr std::size_t header_bytes = 8, pointer_bytes = 8;
inline constexpr std::uint64_t max_address = (std::uint64_t{1} << 48) - 1;

/// Returns the number in `n_bytes` bytes, 8 at most, most significant first.
[[nodiscard]] constexpr std::uint64_t load_big_endian(const std::byte* source,
                                                      std::size_t n_bytes = 8) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < n_bytes; ++i) {
    value = value << 8 | std::to_integer<std::uint64_t>(source[i]);
  }
  return value;
}

/// Stores the low `n_bytes` bytes of a number, the most significant one first.
constexpr void store_big_endian(std::byte* target, std::uint64_t value, std::size_t n_bytes = 8) {
  for (std::size_t i = n_bytes; i-- > 0; value >>= 8)
    target[i] = static_cast<std::byte>(value & 0xff);
}

class item_pointer {
 public:
  constexpr item_pointer() = default;
  constexpr explicit item_pointer(std::uint64_t word) : word_(word) {}

  /// Returns the pointer of an item whose value, up to 2^48 - 1, is in the pointer.
  [[nodiscard]] static constexpr item_pointer immediate(std::uint16_t id, std::uint64_t value) {
    return item_pointer(std::uint64_t{1} << 63 | addressed(id, value).word());
  }

  /// Returns the pointer of an item whose bytes start at `offset` of the heap's payload.
  [[nodiscard]] static constexpr item_pointer addressed(std::uint16_t id, std::uint64_t offset) {
    return item_pointer(std::uint64_t{id} << 48 | (offset & max_address));
  }

  [[nodiscard]] constexpr std::uint64_t word() const { return word_; }
  [[nodiscard]] constexpr bool is_immediate() const { return word_ >> 63 == 1; }
  [[nodiscard]] constexpr std::uint16_t id() const { return word_ >> 48 & 0x7fff; }

  /// Returns the immediate value, or the offset of the bytes.
  [[nodiscard]] constexpr std::uint64_t value() const { return word_ & max_address; }

  constexpr bool operator==(const item_pointer&) const = default;

 private:
  std::uint64_t word_ = 0;
};

}  // namespace wingbeat::spead
