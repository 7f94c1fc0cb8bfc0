// SPDX-License-Identifier: Apache-2.0
// Oracle: the bits, one at a time.
#include "wingbeat/device/index.hpp"

#include <gtest/gtest.h>

namespace {

using namespace wingbeat::device;

unsigned reversed_by_hand(unsigned x, unsigned n_bits) {
  unsigned y = 0;
  for (unsigned bit = 0; bit < n_bits; ++bit) y = 2 * y + (x >> bit & 1);
  return y;
}

TEST(device_index, reverses_the_lowest_bits_and_ignores_the_others) {
  for (unsigned n_bits = 0; n_bits <= 32; ++n_bits) {
    for (const unsigned x : {0u, 1u, 6u, 0x80000000u, 0x12345678u, 0xdeadbeefu, 0xffffffffu}) {
      EXPECT_EQ(bits_reversed(x, n_bits), reversed_by_hand(x, n_bits)) << x << ", " << n_bits;
    }
  }
}

TEST(device_index, mirrors_in_bit_reversed_order) {
  for (unsigned n_bits = 0; n_bits <= 12; ++n_bits) {
    const unsigned n = 1u << n_bits;
    for (unsigned x = 0; x < n; ++x) {
      const unsigned f = reversed_by_hand(x, n_bits);
      EXPECT_EQ(reversed_mirror(x), reversed_by_hand(mirror(f, n), n_bits)) << x << " of " << n;
    }
  }
  EXPECT_EQ(reversed_mirror(0x80000000u), 0xffffffffu);
}

TEST(device_index, mirrors_frequencies_of_any_length) {
  for (const unsigned n : {1u, 2u, 15u, 16u, 60u}) {
    for (unsigned f = 0; f < n; ++f) {
      EXPECT_LT(mirror(f, n), n);
      EXPECT_EQ((f + mirror(f, n)) % n, 0u) << f << " of " << n;
    }
  }
}

TEST(device_index, rounds_up_to_the_power_of_two_that_holds_n) {
  for (size n = 1; n <= 5000; ++n) {
    unsigned bits = 0;
    while (size{1} << bits < n) ++bits;
    EXPECT_EQ(log2_rounded_up(n), bits) << n;
  }
  EXPECT_EQ(log2_rounded_up(size{1} << 40), 40u);
  EXPECT_EQ(log2_rounded_up((size{1} << 40) + 1), 41u);
}

}  // namespace
