// SPDX-License-Identifier: Apache-2.0
// fp16 in every dialect, with or without hardware:  sign . 5 bits exponent + 15 . 10 bits fraction.
// The number is called half_float because OpenCL reserves the word `half`.
#pragma once

#include "wingbeat/device/complex.hpp"  // complex
#include "wingbeat/device/port.hpp"     // WINGBEAT_FN

namespace wingbeat::device {

/// Returns the 32 bits of a float.
WINGBEAT_FN constexpr unsigned bits_of(float x) {
  return __builtin_bit_cast(unsigned, x);
}

/// Returns the float of 32 bits.
WINGBEAT_FN constexpr float float_of(unsigned bits) {
  return __builtin_bit_cast(float, bits);
}

/// Returns `a` or `b` without a branch, because a branch would prevent vectorization of loops.
WINGBEAT_FN constexpr unsigned chosen(bool first, unsigned a, unsigned b) {
  const unsigned mask = 0u - static_cast<unsigned>(first);
  return (a & mask) | (b & ~mask);
}

/// Arithmetic on fp16 as bits: integer arithmetic that a compiler can fold, and CUDA's
/// instructions. (No cuda_fp16.h: NVRTC finds no headers.)
namespace fp16 {

/// Returns the fp16 nearest to x, ties to even; 65520 and above become infinite.
WINGBEAT_FN constexpr unsigned nearest(float x) {
  const unsigned magnitude = bits_of(x) & 0x7fffffffu;
  // Next to 1/2 a float's last bit is worth 2^-24, as a subnormal's is: the addition rounds.
  const unsigned below = bits_of(float_of(magnitude) + 0.5f) - bits_of(0.5f);
  const unsigned rounding = 0xfffu + (magnitude >> 13 & 1u);              // of the 13 bits dropped
  const unsigned normal = (magnitude + rounding - (112u << 23)) >> 13;    // 112 = 127 - 15: biases
  const unsigned finite = chosen(magnitude < 113u << 23, below, normal);  // 2^-14, the least normal
  const unsigned number = chosen(magnitude >= bits_of(65520.0f), 0x7c00u, finite);
  const unsigned quiet = 0x7e00u | (magnitude >> 13 & 0x3ffu);
  return (bits_of(x) >> 16 & 0x8000u) | chosen(magnitude > 0x7f800000u, quiet, number);
}

/// Returns the float of an fp16, exactly.
WINGBEAT_FN constexpr float widened(unsigned bits) {
  const unsigned magnitude = bits & 0x7fffu;
  // Zero or subnormal: a multiple of 2^-24.
  const float below = static_cast<float>(static_cast<int>(magnitude)) * 5.9604644775390625e-8f;
  const unsigned rebias = magnitude < 0x7c00u ? 112u << 23 : 224u << 23;  // infinity, NaN stay so
  const unsigned shifted = magnitude << 13;  // compared as 32 bits, not as the 16 of some vectors
  const unsigned number = chosen(shifted < 0x400u << 13, bits_of(below), shifted + rebias);
  return float_of((bits & 0x8000u) << 16 | number);
}

/// Returns a float that rounds to the same fp16 as x does: x rounded to odd, so that rounding twice
/// equals rounding once. Integers may round to any neighbour, because those that a float does not
/// hold are infinite in fp16.
template <class Number>
WINGBEAT_FN constexpr float to_odd(Number x) {
  const float near = static_cast<float>(x);
  if constexpr (Number(1) / Number(2) == Number(0)) {
    return near;
  } else {
    const Number beyond = x - static_cast<Number>(near);
    const unsigned bits = bits_of(near);
    if (!(beyond < 0 || beyond > 0) || (bits & 1u) != 0) return near;  // exact, NaN, or odd
    // The float on the other side of x is odd: the one further from zero, if x is.
    const bool grows = near == 0 || (beyond > 0) == (near > 0);
    return float_of(grows ? bits + 1 : bits - 1);
  }
}

#if defined(__CUDA_ARCH__)
// Not volatile, so the compiler may move, merge and drop them. Without `.rn` the assembler may
// fuse a product and a sum, as it does for floats.
__device__ __forceinline__ unsigned nearest_of(float x) {
  unsigned short bits;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(x));
  return bits;
}
__device__ __forceinline__ float widened_of(unsigned bits) {
  float x;
  asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(static_cast<unsigned short>(bits)));
  return x;
}
__device__ __forceinline__ unsigned pair_of(float first, float second) {
  unsigned bits;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(bits) : "f"(second), "f"(first));
  return bits;
}
__device__ __forceinline__ unsigned pair_sum(unsigned a, unsigned b) {
  unsigned c;
  asm("add.f16x2 %0, %1, %2;" : "=r"(c) : "r"(a), "r"(b));
  return c;
}
__device__ __forceinline__ unsigned pair_difference(unsigned a, unsigned b) {
  unsigned c;
  asm("sub.f16x2 %0, %1, %2;" : "=r"(c) : "r"(a), "r"(b));
  return c;
}
__device__ __forceinline__ unsigned pair_product(unsigned a, unsigned b) {
  unsigned c;
  asm("mul.f16x2 %0, %1, %2;" : "=r"(c) : "r"(a), "r"(b));
  return c;
}
__device__ __forceinline__ unsigned pair_multiply_add(unsigned a, unsigned b, unsigned c) {
  unsigned d;
  asm("fma.rn.f16x2 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
  return d;
}
__device__ __forceinline__ unsigned pair_negative(unsigned a) {
  unsigned c;
  asm("neg.f16x2 %0, %1;" : "=r"(c) : "r"(a));
  return c;
}
#else
WINGBEAT_FN constexpr unsigned nearest_of(float x) {
  return nearest(x);
}
WINGBEAT_FN constexpr float widened_of(unsigned bits) {
  return widened(bits);
}
WINGBEAT_FN constexpr float low(unsigned pair) {
  return widened(pair & 0xffffu);
}
WINGBEAT_FN constexpr float high(unsigned pair) {
  return widened(pair >> 16);
}
WINGBEAT_FN constexpr unsigned pair_of(float first, float second) {
  return nearest(first) | nearest(second) << 16;
}
// A float has 24 bits, two more than twice the 11 of an fp16, so rounding sums and products twice
// equals rounding them once.
WINGBEAT_FN constexpr unsigned pair_sum(unsigned a, unsigned b) {
  return pair_of(low(a) + low(b), high(a) + high(b));
}
WINGBEAT_FN constexpr unsigned pair_difference(unsigned a, unsigned b) {
  return pair_of(low(a) - low(b), high(a) - high(b));
}
WINGBEAT_FN constexpr unsigned pair_product(unsigned a, unsigned b) {
  return pair_of(low(a) * low(b), high(a) * high(b));
}
WINGBEAT_FN constexpr unsigned pair_multiply_add(unsigned a, unsigned b, unsigned c) {
  return pair_of(low(a) * low(b) + low(c), high(a) * high(b) + high(c));
}
WINGBEAT_FN constexpr unsigned pair_negative(unsigned a) {
  return a ^ 0x80008000u;
}
#endif

}  // namespace fp16

/// A number stored in 16 bits; in arithmetic it becomes a float. Operators on two half_floats round
/// each result to 16 bits; to round only once, widen first and narrow at the end.
struct half_float {
  unsigned short bits;

  half_float() = default;
  /// Rounds to nearest, ties to even.
  WINGBEAT_FN explicit half_float(float x)
      : bits(static_cast<unsigned short>(fp16::nearest_of(x))) {}
  /// Rounds a double or an integer the same way, in arithmetic that folds for constants.
  template <class Number>
  WINGBEAT_FN explicit constexpr half_float(Number x)
      : bits(static_cast<unsigned short>(fp16::nearest(fp16::to_odd(x)))) {}

  /// Returns the number that has these bits.
  WINGBEAT_FN static half_float of_bits(unsigned bits) {
    half_float h;
    h.bits = static_cast<unsigned short>(bits);
    return h;
  }
  /// Widens, exactly.
  WINGBEAT_FN operator float() const { return fp16::widened_of(bits); }
};

WINGBEAT_FN half_float operator+(half_float a, half_float b) {
  return half_float(static_cast<float>(a) + static_cast<float>(b));
}
WINGBEAT_FN half_float operator-(half_float a, half_float b) {
  return half_float(static_cast<float>(a) - static_cast<float>(b));
}
WINGBEAT_FN half_float operator*(half_float a, half_float b) {
  return half_float(static_cast<float>(a) * static_cast<float>(b));
}
WINGBEAT_FN half_float operator-(half_float a) {
  return half_float::of_bits(a.bits ^ 0x8000u);
}

/// Two numbers of 16 bits in one register. As a transform's `Real` it computes two transforms at
/// once, one in each lane, in fp16 arithmetic: by CUDA's f16x2 instructions, elsewhere in float
/// with every operation rounded to fp16.
struct half_pair {
  unsigned bits;  // second . first

  half_pair() = default;
  WINGBEAT_FN half_pair(half_float first, half_float second)
      : bits(first.bits | static_cast<unsigned>(second.bits) << 16) {}
  WINGBEAT_FN half_pair(float first, float second)
      : half_pair(half_float(first), half_float(second)) {}
  /// The same number in both lanes.
  WINGBEAT_FN explicit half_pair(half_float both) : half_pair(both, both) {}
  WINGBEAT_FN explicit half_pair(float both) : half_pair(half_float(both)) {}
  /// Rounds a double or an integer the same way, in arithmetic that folds for constants.
  template <class Number>
  WINGBEAT_FN explicit constexpr half_pair(Number both)
      : bits(fp16::nearest(fp16::to_odd(both)) * 0x10001u) {}

  /// Returns the pair that has these bits, the first lane in the lower 16.
  WINGBEAT_FN static half_pair of_bits(unsigned bits) {
    half_pair p;
    p.bits = bits;
    return p;
  }
  WINGBEAT_FN half_float first() const { return half_float::of_bits(bits & 0xffffu); }
  WINGBEAT_FN half_float second() const { return half_float::of_bits(bits >> 16); }
};

WINGBEAT_FN half_pair operator+(half_pair a, half_pair b) {
  return half_pair::of_bits(fp16::pair_sum(a.bits, b.bits));
}
WINGBEAT_FN half_pair operator-(half_pair a, half_pair b) {
  return half_pair::of_bits(fp16::pair_difference(a.bits, b.bits));
}
WINGBEAT_FN half_pair operator*(half_pair a, half_pair b) {
  return half_pair::of_bits(fp16::pair_product(a.bits, b.bits));
}
WINGBEAT_FN half_pair operator-(half_pair a) {
  return half_pair::of_bits(fp16::pair_negative(a.bits));
}
#if defined(__CUDA_ARCH__)
WINGBEAT_FN half_pair multiply_add(half_pair a, half_pair b, half_pair c) {
  return half_pair::of_bits(fp16::pair_multiply_add(a.bits, b.bits, c.bits));
}
#endif

/// Returns z in the precision of its arithmetic: half_float becomes float, exactly; anything else
/// is unchanged.
template <class Real>
WINGBEAT_FN constexpr complex<Real> widen(complex<Real> z) {
  return z;
}
WINGBEAT_FN complex<float> widen(complex<half_float> z) {
  return {static_cast<float>(z.re), static_cast<float>(z.im)};
}

/// Returns z rounded to the stored type, half_float by default. `narrow<Real>` of a complex<Real>
/// changes nothing.
template <class Stored = half_float, class Real>
WINGBEAT_FN complex<Stored> narrow(complex<Real> z) {
  return {Stored(z.re), Stored(z.im)};
}

}  // namespace wingbeat::device
