// SPDX-License-Identifier: Apache-2.0
// Oracle: every bf16 number as its fields say, in long double; the nearest by distance.
#include "wingbeat/device/bfloat.hpp"

#include <gtest/gtest.h>

#include <cmath>    // ldexp, nextafter, isnan, signbit
#include <cstdint>  // uint32_t
#include <limits>
#include <random>  // mt19937

namespace {

using namespace wingbeat::device;
namespace bf16 = wingbeat::device::bf16;

constexpr unsigned infinite = 0x7f80;
constexpr float largest = 0x1.fep127f;

/// The value of finite, non-negative bits; that of `infinite` is 2^128, where rounding ends.
long double by_fields(unsigned bits) {
  const int exponent = static_cast<int>(bits >> 7);
  const int fraction = static_cast<int>(bits & 0x7f);
  return exponent == 0 ? std::ldexp(static_cast<long double>(fraction), -133)
                       : std::ldexp(static_cast<long double>(fraction + 128), exponent - 134);
}

bfloat of_bits(unsigned bits) {
  bfloat result;
  result.bits = static_cast<unsigned short>(bits);
  return result;
}

/// Non-negative bits below x, whose fields are a float's upper half.
unsigned below(float x) {
  unsigned low = 0, high = infinite;
  while (high - low > 1) {
    const unsigned middle = (low + high) / 2;
    (by_fields(middle) <= static_cast<long double>(x) ? low : high) = middle;
  }
  return low;
}

unsigned nearest_by_distance(float x) {
  const unsigned sign = std::signbit(x) ? 0x8000 : 0;
  const float magnitude = std::abs(x);
  const unsigned low = below(magnitude);
  const long double down = magnitude - by_fields(low), up = by_fields(low + 1) - magnitude;
  if (up != down) return sign | (up < down ? low + 1 : low);
  return sign | (low % 2 == 0 ? low : low + 1);
}

TEST(bfloat, widens_every_number_exactly_and_back) {
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    const float x = of_bits(bits);
    const unsigned magnitude = bits & 0x7fff;
    if (magnitude > infinite) {
      ASSERT_TRUE(std::isnan(x)) << bits;
      const float again = bfloat{x};
      ASSERT_TRUE(std::isnan(again)) << bits;
      continue;
    }
    ASSERT_EQ(std::signbit(x), bits >= 0x8000) << bits;
    if (magnitude == infinite) {
      ASSERT_TRUE(std::isinf(x));
    } else {
      ASSERT_EQ(std::abs(static_cast<long double>(x)), by_fields(magnitude)) << bits;
    }
    ASSERT_EQ(bfloat{x}.bits, bits);
  }
}

TEST(bfloat, rounds_midpoints_to_even_and_their_neighbours_to_nearest) {
  for (unsigned bits = 0; bits < infinite; ++bits) {
    for (const unsigned sign : {0U, 0x8000U}) {
      const float middle = float_of((sign | bits) << 16 | 0x8000U);
      const float away = float_of(((sign | bits) << 16 | 0x8000U) + 1);
      const float near = float_of(((sign | bits) << 16 | 0x8000U) - 1);
      ASSERT_EQ(bfloat{middle}.bits, sign | (bits + bits % 2)) << bits;
      ASSERT_EQ(bfloat{away}.bits, sign | (bits + 1)) << bits;
      ASSERT_EQ(bfloat{near}.bits, sign | bits) << bits;
    }
  }
}

TEST(bfloat, rounds_any_float_to_the_nearest) {
  std::mt19937 random{1};
  for (int i = 0; i < 200'000; ++i) {
    const float x = float_of(static_cast<std::uint32_t>(random()));
    if (std::isnan(x) || std::isinf(x)) continue;
    ASSERT_EQ(bf16::nearest(x), nearest_by_distance(x)) << x;
  }
}

TEST(bfloat, rounds_the_extremes) {
  using limits = std::numeric_limits<float>;
  EXPECT_EQ(bf16::nearest(limits::max()), infinite) << "beyond the largest there is infinity";
  EXPECT_EQ(bf16::nearest(largest), infinite - 1);
  EXPECT_EQ(bf16::nearest(std::nextafter(0x1.ffp127f, 0.0f)), infinite - 1);
  EXPECT_EQ(bf16::nearest(0x1.ffp127f), infinite) << "half way counts as beyond";
  EXPECT_EQ(bf16::nearest(limits::infinity()), infinite);
  EXPECT_EQ(bf16::nearest(-limits::infinity()), 0x8000 | infinite);
  EXPECT_EQ(bf16::nearest(limits::denorm_min()), 0U);
  EXPECT_EQ(bf16::nearest(-limits::denorm_min()), 0x8000U);
  // NaNs whose payload lies in the lower half stay NaNs, and quiet.
  for (const std::uint32_t bits : {0x7f800001U, 0xff80ffffU, 0x7fffffffU, 0x7fc00000U}) {
    const unsigned stored = bf16::nearest(float_of(bits));
    EXPECT_GT(stored & 0x7fff, infinite) << bits;
    EXPECT_NE(stored & 0x40, 0U) << bits;
    EXPECT_EQ(stored >> 15, bits >> 31) << bits;
  }
}

}  // namespace
