// SPDX-License-Identifier: Apache-2.0
// Numbers in files, with the byte order and alignment of the file, not of the machine.
#pragma once

#include <algorithm>  // reverse
#include <array>
#include <bit>      // endian
#include <cstddef>  // byte
#include <cstring>  // memcpy

namespace wingbeat::formats {

/// Returns the number whose bytes start at `source`.
template <class Number>
[[nodiscard]] Number load(const std::byte* source, std::endian order = std::endian::little) {
  std::array<std::byte, sizeof(Number)> bytes;
  std::memcpy(bytes.data(), source, bytes.size());
  if (order != std::endian::native) std::reverse(bytes.begin(), bytes.end());
  Number value;
  std::memcpy(&value, bytes.data(), bytes.size());
  return value;
}

/// Stores the bytes of the number from `target` on.
template <class Number>
void store(std::byte* target, Number value, std::endian order = std::endian::little) {
  std::memcpy(target, &value, sizeof value);
  if (order != std::endian::native) std::reverse(target, target + sizeof value);
}

}  // namespace wingbeat::formats
