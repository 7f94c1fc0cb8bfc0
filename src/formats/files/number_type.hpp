// SPDX-License-Identifier: Apache-2.0
// How files store numbers.
#pragma once

#include <cstddef>  // size_t
#include <cstdint>  // uint8_t .. int64_t

#include "wingbeat/device/half.hpp"  // fp16

namespace wingbeat::formats {

enum class number_type {
  uint8,
  int8,
  uint16,
  int16,
  uint32,
  int32,
  uint64,
  int64,
  float16,
  float32,
  float64
};

/// The bits of an fp16 in a file.
struct half_bits {
  std::uint16_t bits;
  operator double() const { return device::fp16::widened(bits); }
};

/// Calls `call` with a number of the stored type.
template <class Call>
constexpr decltype(auto) with_number(number_type type, const Call& call) {
  switch (type) {
    case number_type::uint8: return call(std::uint8_t{});
    case number_type::int8: return call(std::int8_t{});
    case number_type::uint16: return call(std::uint16_t{});
    case number_type::int16: return call(std::int16_t{});
    case number_type::uint32: return call(std::uint32_t{});
    case number_type::int32: return call(std::int32_t{});
    case number_type::uint64: return call(std::uint64_t{});
    case number_type::int64: return call(std::int64_t{});
    case number_type::float16: return call(half_bits{});
    case number_type::float32: return call(float{});
    case number_type::float64: break;
  }
  return call(double{});
}

[[nodiscard]] constexpr std::size_t bytes_of(number_type type) noexcept {
  return with_number(type, [](auto number) { return sizeof number; });
}

/// Returns the largest number of an unsigned type of 8 or 16 bits; 0 for others.
[[nodiscard]] constexpr double full_scale_of(number_type type) noexcept {
  if (type == number_type::uint8) return 255;
  return type == number_type::uint16 ? 65535 : 0;
}

/// Returns whether a float holds every number of the type: integers of up to 16 bits, floats of up
/// to 32.
[[nodiscard]] constexpr bool is_held_by_floats(number_type type) noexcept {
  return bytes_of(type) <= 2 || type == number_type::float32;
}

}  // namespace wingbeat::formats
