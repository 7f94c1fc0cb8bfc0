// SPDX-License-Identifier: Apache-2.0
// Operations on words of 32 bits for which CUDA has an instruction that its compiler does not use.
#pragma once

#include "wingbeat/device/port.hpp"  // WINGBEAT_FN, size

namespace wingbeat::device {

#if defined(__CUDA_ARCH__)
/// Returns a b. If factors are widened first, CUDA's compiler adds 0 to the upper half.
__device__ __forceinline__ size wide_product(unsigned a, unsigned b) {
  size product;
  asm("mul.wide.u32 %0, %1, %2;" : "=l"(product) : "r"(a), "r"(b));
  return product;
}
#else
WINGBEAT_FN constexpr size wide_product(unsigned a, unsigned b) {
  return size(a) * b;
}
#endif

/// Returns the lowest bytes of two words, the second above the first. Higher bits are unspecified.
WINGBEAT_FN unsigned low_bytes(unsigned first, unsigned second) {
#if defined(__CUDA_ARCH__)
  return __byte_perm(first, second, 0x0040);
#else
  return (first & 0xffu) | second << 8;
#endif
}

/// Returns the larger of `magnitude` and |x|; NaN if either is NaN.
WINGBEAT_FN float larger_magnitude(float magnitude, float x) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  float result;
  asm("{ .reg .f32 other; abs.f32 other, %2; max.NaN.f32 %0, %1, other; }"
      : "=f"(result)
      : "f"(magnitude), "f"(x));
  return result;
#else
  const float other = x < 0 ? -x : x;
  return other <= magnitude || magnitude != magnitude ? magnitude : other;
#endif
}

}  // namespace wingbeat::device
