// SPDX-License-Identifier: Apache-2.0
// Cuts heaps into packets.
#pragma once

#include <cstddef>  // byte, size_t
#include <cstdint>  // uint16_t, uint64_t
#include <span>
#include <string_view>
#include <vector>

#include "spead/item.hpp"  // item_pointer

namespace wingbeat::spead {

/// A heap to send. The payload belongs to the caller; addressed pointers are offsets in it.
struct outgoing_heap {
  std::uint64_t id = 0;
  std::vector<item_pointer> pointers = {};
  std::span<const std::byte> payload = {};
};

/// How heaps are cut.
struct packet_shape {
  std::size_t packet_bytes = 9000;  ///< Maximum of a packet, rounded down to a multiple of 8.
  bool repeats_pointers = false;    ///< Each packet has all pointers, so that it can be placed
                                    ///< alone.
};

/// The packets of one heap, one after another. A heap without payload gets one byte of 0 and a null
/// item that points to it, because a packet has at least one byte of payload.
class packetiser {
 public:
  /// Throws `plan_error` if the pointers and 8 bytes of payload exceed a packet, or if an id or a
  /// length exceeds 2^48 - 1.
  packetiser(outgoing_heap heap, const packet_shape& shape);

  struct piece {
    std::span<const std::byte> preamble;  ///< Header and pointers; valid until the next call.
    std::span<const std::byte> payload;
  };

  [[nodiscard]] std::size_t n_packets() const;
  [[nodiscard]] bool is_done() const { return position_ == payload_.size(); }

  /// Returns the next packet.
  [[nodiscard]] piece next();

 private:
  [[nodiscard]] std::size_t payload_room(bool has_pointers) const;

  outgoing_heap heap_;
  std::span<const std::byte> payload_;
  packet_shape shape_;
  std::size_t position_ = 0;
  std::vector<std::byte> preamble_;
};

/// Returns the packets of a heap as they are sent.
[[nodiscard]] std::vector<std::vector<std::byte>> packets_of(const outgoing_heap& heap,
                                                             const packet_shape& shape);

/// Collects a heap's items; the payload is its own.
class heap_builder {
 public:
  void add_immediate(std::uint16_t id, std::uint64_t value);
  void add(std::uint16_t id, std::span<const std::byte> bytes);
  void add(std::uint16_t id, std::string_view text);

  /// Returns the heap, valid until this is changed or destroyed.
  [[nodiscard]] outgoing_heap heap(std::uint64_t id) const { return {id, pointers_, payload_}; }

 private:
  std::vector<item_pointer> pointers_;
  std::vector<std::byte> payload_;
};

/// Returns the heap that ends a stream.
[[nodiscard]] outgoing_heap stop_heap(std::uint64_t id);

}  // namespace wingbeat::spead
