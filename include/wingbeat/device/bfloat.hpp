// SPDX-License-Identifier: Apache-2.0
// bf16 in every dialect: the upper half of a float, with float's range and 8 bits of precision.
#pragma once

#include "wingbeat/device/half.hpp"  // bits_of, chosen, float_of
#include "wingbeat/device/port.hpp"  // WINGBEAT_FN

namespace wingbeat::device {

namespace bf16 {

/// Returns, by integer arithmetic, the bf16 nearest to x: ties to even. Numbers above the largest
/// become infinite; NaN stays NaN.
WINGBEAT_FN constexpr unsigned nearest(float x) {
  const unsigned whole = bits_of(x);
  const unsigned rounded = (whole + 0x7fffu + (whole >> 16 & 1u)) >> 16;
  const unsigned quiet = whole >> 16 | 0x40u;  // NaN stays NaN if only low bits are set
  return chosen((whole & 0x7fffffffu) > 0x7f800000u, quiet, rounded);
}

// Same, by the device's instruction if it has one.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
__device__ __forceinline__ unsigned nearest_of(float x) {
  unsigned short bits;
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(x));
  return bits;
}
__device__ __forceinline__ unsigned pair_of(float first, float second) {
  unsigned bits;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(bits) : "f"(second), "f"(first));
  return bits;
}
// On two numbers in one word.
__device__ __forceinline__ unsigned pair_multiply_add(unsigned a, unsigned b, unsigned c) {
  unsigned d;
  asm("fma.rn.bf16x2 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
  return d;
}
#else
WINGBEAT_FN constexpr unsigned nearest_of(float x) {
  return nearest(x);
}
WINGBEAT_FN constexpr unsigned pair_of(float first, float second) {
  return nearest(first) | nearest(second) << 16;
}
WINGBEAT_FN constexpr unsigned pair_multiply_add(unsigned a, unsigned b, unsigned c) {
  const auto fused = [](unsigned x, unsigned y, unsigned z) {
    return float_of(x) * float_of(y) + float_of(z);
  };
  constexpr unsigned high = 0xffff0000u;
  return pair_of(fused(a << 16, b << 16, c << 16), fused(a & high, b & high, c & high));
}
#endif

/// Return the numbers of a word.
WINGBEAT_FN constexpr float low(unsigned pair) {
  return float_of(pair << 16);
}
WINGBEAT_FN constexpr float high(unsigned pair) {
  return float_of(pair & 0xffff0000u);
}

}  // namespace bf16

/// A number stored in 16 bits: sign, 8 bits of exponent, 7 of fraction. Arithmetic is done in
/// float.
struct bfloat {
  unsigned short bits;

  bfloat() = default;
  /// Rounds to the nearest, ties to even.
  WINGBEAT_FN explicit bfloat(float x) : bits(static_cast<unsigned short>(bf16::nearest_of(x))) {}
  /// Widens, exactly.
  WINGBEAT_FN operator float() const { return float_of(static_cast<unsigned>(bits) << 16); }
};

}  // namespace wingbeat::device
