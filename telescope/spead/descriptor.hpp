// SPDX-License-Identifier: Apache-2.0
// Descriptors: the name of an item, and how to read its bytes. On the wire, a descriptor is a SPEAD
// packet within an item of id 5.
#pragma once

#include <cstddef>  // byte, size_t
#include <cstdint>  // uint16_t, uint32_t
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "spead/packetiser.hpp"  // heap_builder

namespace wingbeat::spead {

/// A field of an element: 'u' unsigned, 'i' signed, 'f' floating point, 'b' boolean, 'c' character.
struct format_field {
  char type = 'u';
  std::uint16_t bits = 0;
  bool operator==(const format_field&) const = default;
};

struct descriptor {
  std::uint16_t id = 0;
  std::string name = {}, description = {};
  /// Lengths of the axes; an axis without a value is as long as the bytes allow.
  std::vector<std::optional<std::size_t>> shape = {};
  std::vector<format_field> format = {};  ///< For elements that are no numpy type.
  std::string numpy_header = {};  ///< "{'descr': '|i1', ...}"; if empty, `format` and `shape`
                                  ///< apply.
  bool operator==(const descriptor&) const = default;
};

/// Returns the descriptor of a number of up to 48 bits that is sent as an immediate item.
[[nodiscard]] descriptor immediate_descriptor(std::uint16_t id, std::string name,
                                              std::string description);

/// Returns the descriptor of an array in C order of a numpy type: "|i1", ">u2".
[[nodiscard]] descriptor array_descriptor(std::uint16_t id, std::string name,
                                          std::string description, const std::string& numpy_type,
                                          const std::vector<std::size_t>& shape);

/// Returns a heap of descriptors.
[[nodiscard]] heap_builder descriptor_heap(const std::vector<descriptor>& descriptors);

/// Returns the bytes of the item. Throws `plan_error` for axes of 2^48 or more.
[[nodiscard]] std::vector<std::byte> encode(const descriptor& item);

/// Reads the bytes of an item of id 5; none if they are not a descriptor.
[[nodiscard]] std::optional<descriptor> decode_descriptor(std::span<const std::byte> bytes);

}  // namespace wingbeat::spead
