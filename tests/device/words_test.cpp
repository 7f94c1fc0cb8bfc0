// SPDX-License-Identifier: Apache-2.0
#include "wingbeat/device/words.hpp"

#include <gtest/gtest.h>

#include <cmath>  // INFINITY, NAN, isnan

namespace {

using namespace wingbeat::device;

TEST(device_words, multiply_to_64_bits) {
  static_assert(wide_product(0xffffffffu, 0xffffffffu) == 0xfffffffe00000001ul);
  EXPECT_EQ(wide_product(0xD2511F53u, 0x80000001u), 0xD2511F53ul * 0x80000001ul);
}

TEST(device_words, have_their_lowest_bytes_side_by_side) {
  EXPECT_EQ(low_bytes(0xaabbccddu, 0x11223344u) & 0xffffu, 0x44ddu);
}

TEST(device_words, find_the_larger_magnitude_and_never_lose_a_nan) {
  EXPECT_EQ(larger_magnitude(2, -3), 3);
  EXPECT_EQ(larger_magnitude(2, 1), 2);
  EXPECT_EQ(larger_magnitude(0, -INFINITY), INFINITY);
  EXPECT_TRUE(std::isnan(larger_magnitude(2, NAN)));
  EXPECT_TRUE(std::isnan(larger_magnitude(NAN, 2)));
}

}  // namespace
