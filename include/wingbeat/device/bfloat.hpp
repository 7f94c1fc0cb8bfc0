// SPDX-License-Identifier: Apache-2.0
// bf16 in every dialect: the upper half of a float, so float's range with 8 bits of precision.
#pragma once

#include "wingbeat/device/half.hpp"  // bits_of, chosen, float_of
#include "wingbeat/device/port.hpp"  // WINGBEAT_FN

namespace wingbeat::device {

namespace bf16 {

/// Returns, by integer arithmetic, the bf16 nearest to x: ties to even; above the largest,
/// infinite; NaN stays NaN.
WINGBEAT_FN constexpr unsigned nearest(float x) {
  const unsigned whole = bits_of(x);
  const unsigned rounded = (whole + 0x7fffu + (whole >> 16 & 1u)) >> 16;
  const unsigned quiet = whole >> 16 | 0x40u;  // a NaN whose low bits are all must stay one
  return chosen((whole & 0x7fffffffu) > 0x7f800000u, quiet, rounded);
}

// The same, by what the device has for it.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
__device__ __forceinline__ unsigned nearest_of(float x) {
  unsigned short bits;
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(x));
  return bits;
}
#else
WINGBEAT_FN constexpr unsigned nearest_of(float x) {
  return nearest(x);
}
#endif

}  // namespace bf16

/// A number stored in 16 bits: sign, 8 bits of exponent, 7 of fraction. Computed with as a float.
struct bfloat {
  unsigned short bits;

  bfloat() = default;
  /// Rounds to the nearest, ties to even.
  WINGBEAT_FN explicit bfloat(float x) : bits(static_cast<unsigned short>(bf16::nearest_of(x))) {}
  /// Widens, exactly.
  WINGBEAT_FN operator float() const { return float_of(static_cast<unsigned>(bits) << 16); }
};

}  // namespace wingbeat::device
