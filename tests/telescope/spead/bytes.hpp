// SPDX-License-Identifier: Apache-2.0
// Packets as hexadecimal digits.
#pragma once

#include <cstddef>  // byte
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace wingbeat::test {

/// Returns the bytes; blanks separate digits as one likes.
inline std::vector<std::byte> from_hex(std::string_view digits) {
  std::vector<std::byte> bytes;
  std::string pair;
  for (const char c : digits) {
    if (c == ' ' || c == '\n') continue;
    pair += c;
    if (pair.size() < 2) continue;
    bytes.push_back(static_cast<std::byte>(std::stoi(pair, nullptr, 16)));
    pair.clear();
  }
  return bytes;
}

inline std::string to_hex(std::span<const std::byte> bytes) {
  static constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (const std::byte b : bytes) {
    text += digits[std::to_integer<unsigned>(b) >> 4];
    text += digits[std::to_integer<unsigned>(b) & 15];
  }
  return text;
}

/// Returns bytes seed, seed + 1, ...
inline std::vector<std::byte> counting_bytes(std::size_t count, unsigned seed = 0) {
  std::vector<std::byte> bytes(count);
  for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::byte>((seed + i) & 0xff);
  return bytes;
}

}  // namespace wingbeat::test
