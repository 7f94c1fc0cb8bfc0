// SPDX-License-Identifier: Apache-2.0
// Real numbers as memory holds them: widened exactly, and rounded once from long double to the
// nearest, ties to even. For a format of p significant bits whose smallest positive number is
// 2^least,
//     bits of u 2^unit = (unit - least) 2^(p-1) + u,      u <= 2^p an integer, unit >= least:
// the exponent's field counts units, and a u of 2^p carries into it.
#pragma once

#include <algorithm>  // max, min
#include <cmath>      // frexp, ldexp, nearbyint
#include <cstdint>    // uint16_t
#include <cstring>    // memcpy
#include <limits>     // numeric_limits

#include "wingbeat/plan.hpp"  // precision

namespace wingbeat::reference {

/// A format of 16 bits, sign first.
struct narrow_format {
  int significant_bits;
  int least;               ///< Exponent of the least positive number.
  std::uint16_t infinity;  ///< Bits of infinity.
};
inline constexpr narrow_format fp16_format{11, -24, 0x7c00};
inline constexpr narrow_format bf16_format{8, -133, 0x7f80};

/// Returns the bits of the number of `format` that is nearest to x.
inline std::uint16_t narrowed(long double x, const narrow_format& format) {
  const unsigned sign = std::signbit(x) ? 0x8000U : 0U;
  const unsigned quiet = 1U << (format.significant_bits - 2);
  if (std::isnan(x)) return static_cast<std::uint16_t>(sign | format.infinity | quiet);
  if (std::isinf(x)) return static_cast<std::uint16_t>(sign | format.infinity);
  if (x == 0) return static_cast<std::uint16_t>(sign);
  int exponent = 0;
  std::frexp(x, &exponent);  // |x| < 2^exponent
  const int unit = std::max(exponent - format.significant_bits, format.least);
  const long double units = std::nearbyint(std::ldexp(std::abs(x), -unit));
  const long double bits = units + std::ldexp(static_cast<long double>(unit - format.least),
                                              format.significant_bits - 1);
  const auto largest = static_cast<long double>(format.infinity);
  return static_cast<std::uint16_t>(sign | static_cast<unsigned>(std::min(bits, largest)));
}

/// Returns the value of a number of `format` from its bits.
inline long double widened(std::uint16_t bits, const narrow_format& format) {
  using limits = std::numeric_limits<long double>;
  const long double sign = (bits & 0x8000U) != 0 ? -1 : 1;
  const int magnitude = bits & 0x7fff;
  if (magnitude > format.infinity) return limits::quiet_NaN();
  if (magnitude == format.infinity) return sign * limits::infinity();
  const int leading = 1 << (format.significant_bits - 1);  // the implicit bit of a normal number
  const int field = magnitude / leading, fraction = magnitude % leading;
  if (field == 0) return sign * std::ldexp(static_cast<long double>(fraction), format.least);
  return sign * std::ldexp(static_cast<long double>(fraction + leading), format.least + field - 1);
}

/// Returns the stored number at any address.
inline long double load_number(const char* bytes, precision stored) {
  const auto copied = [bytes](auto number) {
    std::memcpy(&number, bytes, sizeof number);
    return number;
  };
  switch (stored) {
    case precision::fp32: return copied(float{});
    case precision::fp64: return copied(double{});
    case precision::fp16: return widened(copied(std::uint16_t{}), fp16_format);
    case precision::bf16: return widened(copied(std::uint16_t{}), bf16_format);
  }
  return 0;
}

/// Stores x, rounded, at any address.
inline void store_number(char* bytes, precision stored, long double x) {
  const auto copy = [bytes](auto number) { std::memcpy(bytes, &number, sizeof number); };
  switch (stored) {
    case precision::fp32: return copy(static_cast<float>(x));
    case precision::fp64: return copy(static_cast<double>(x));
    case precision::fp16: return copy(narrowed(x, fp16_format));
    case precision::bf16: return copy(narrowed(x, bf16_format));
  }
}

}  // namespace wingbeat::reference
