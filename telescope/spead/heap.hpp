// SPDX-License-Identifier: Apache-2.0
// A complete received heap, with its items by id.
#pragma once

#include <cstddef>  // byte
#include <cstdint>  // uint16_t, uint64_t
#include <optional>
#include <span>
#include <vector>

#include "spead/item.hpp"  // item_pointer

namespace wingbeat::spead {

/// One item of a heap; its bytes belong to the heap.
struct heap_item {
  std::uint16_t id = 0;
  bool is_immediate = false;
  std::uint64_t value = 0;           ///< For an immediate item; 0 for an addressed one.
  std::span<const std::byte> bytes;  ///< For an addressed item.
};

class heap {
 public:
  heap() = default;

  /// Takes the pointers of all packets, each once, and the payload. An addressed item ends at the
  /// next higher offset of an item, or at the end of the heap.
  heap(std::uint64_t id, std::vector<item_pointer> pointers, std::vector<std::byte> payload);
  heap(heap&&) noexcept = default;
  heap& operator=(heap&&) noexcept = default;

  [[nodiscard]] std::uint64_t id() const { return id_; }
  [[nodiscard]] bool is_stop() const { return is_stop_; }

  /// Returns whether every addressed item starts within the payload or at its end.
  [[nodiscard]] bool is_valid() const { return is_valid_; }

  /// Returns the items in the order of their pointers, without ids 0 to 4 and 6.
  [[nodiscard]] std::span<const heap_item> items() const { return items_; }
  [[nodiscard]] std::span<const std::byte> payload() const { return payload_; }

  /// Returns the first item with this id; nullptr if there is none.
  [[nodiscard]] const heap_item* find(std::uint16_t id) const;

  /// Returns the value of the immediate item with this id, if there is one.
  [[nodiscard]] std::optional<std::uint64_t> value(std::uint16_t id) const;

 private:
  std::uint64_t id_ = 0;
  bool is_stop_ = false, is_valid_ = true;
  std::vector<heap_item> items_;
  std::vector<std::byte> payload_;
};

}  // namespace wingbeat::spead
