// SPDX-License-Identifier: Apache-2.0
// fp16 and bf16 from long double, rounded once. Oracles: every number of the format, the middles
// between neighbours, and the device's own conversions.
#include "reference/stored.hpp"

#include <gtest/gtest.h>

#include <cmath>  // HUGE_VALL, nextafter
#include <random>

#include "wingbeat/device/half.hpp"  // fp16::nearest, fp16::widened

namespace {

using namespace wingbeat;
using namespace wingbeat::reference;

constexpr narrow_format formats[] = {fp16_format, bf16_format};

TEST(stored, numbers_are_unchanged_by_being_widened_and_narrowed) {
  for (const narrow_format& format : formats) {
    for (unsigned bits = 0; bits < 0x10000; ++bits) {
      const auto same = static_cast<std::uint16_t>(bits);
      const long double x = widened(same, format);
      if (std::isnan(x)) {
        EXPECT_TRUE(std::isnan(widened(narrowed(x, format), format))) << bits;
      } else {
        EXPECT_EQ(narrowed(x, format), same);
      }
    }
  }
}

TEST(stored, bf16_is_the_upper_half_of_a_float) {
  for (unsigned bits = 0; bits < 0x7f80; ++bits) {
    EXPECT_EQ(widened(static_cast<std::uint16_t>(bits), bf16_format), device::float_of(bits << 16));
  }
}

TEST(stored, fp16_is_the_devices) {
  for (unsigned bits = 0; bits < 0x7c01; ++bits) {
    EXPECT_EQ(widened(static_cast<std::uint16_t>(bits), fp16_format), device::fp16::widened(bits));
  }
  std::mt19937 random{1};
  for (int i = 0; i < 1'000'000; ++i) {
    const float x = device::float_of(random());
    if (std::isnan(x)) continue;
    EXPECT_EQ(narrowed(x, fp16_format), device::fp16::nearest(x)) << x;
  }
}

TEST(stored, middles_go_to_the_even_neighbour_and_all_else_to_the_nearer) {
  for (const narrow_format& format : formats) {
    for (unsigned bits = 0; bits + 1 < format.infinity; ++bits) {
      const auto below = static_cast<std::uint16_t>(bits);
      const auto above = static_cast<std::uint16_t>(bits + 1);
      const long double middle = (widened(below, format) + widened(above, format)) / 2;
      EXPECT_EQ(narrowed(middle, format), bits % 2 == 0 ? below : above);
      // One last bit of long double beside the middle, which a float or a double would lose.
      EXPECT_EQ(narrowed(std::nextafter(middle, 0.0L), format), below);
      EXPECT_EQ(narrowed(std::nextafter(middle, HUGE_VALL), format), above);
      EXPECT_EQ(narrowed(-middle, format), (bits % 2 == 0 ? below : above) | 0x8000U);
    }
  }
}

TEST(stored, what_is_too_large_becomes_infinite) {
  EXPECT_EQ(narrowed(65504, fp16_format), 0x7bff);
  EXPECT_EQ(narrowed(std::nextafter(65520.0L, 0.0L), fp16_format), 0x7bff);
  EXPECT_EQ(narrowed(65520, fp16_format), 0x7c00);
  EXPECT_EQ(narrowed(-1e4000L, fp16_format), 0xfc00);
  EXPECT_EQ(narrowed(0x1.ffp127L, bf16_format), 0x7f80);
  EXPECT_EQ(narrowed(0x1.fep127L, bf16_format), 0x7f7f);
  EXPECT_EQ(narrowed(std::numeric_limits<long double>::infinity(), bf16_format), 0x7f80);
}

TEST(stored, what_is_too_small_becomes_zero_of_its_sign) {
  EXPECT_EQ(narrowed(0x1p-25L, fp16_format), 0);
  EXPECT_EQ(narrowed(std::nextafter(0x1p-25L, 1.0L), fp16_format), 1);
  EXPECT_EQ(narrowed(-0x1p-4000L, bf16_format), 0x8000);
  EXPECT_EQ(narrowed(-0.0L, fp16_format), 0x8000);
}

TEST(stored, numbers_lie_at_any_address) {
  char memory[32];
  for (const precision real :
       {precision::fp32, precision::fp64, precision::fp16, precision::bf16}) {
    for (std::size_t offset = 0; offset < 9; ++offset) {
      store_number(memory + offset, real, -1.25L);
      EXPECT_EQ(load_number(memory + offset, real), -1.25L);
    }
  }
}

}  // namespace
