// SPDX-License-Identifier: Apache-2.0
// Packed samples against their definition, bit by bit, at every width and offset.
#include "channelising/arithmetic/packed_samples.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "support/refusal.hpp"  // refusal

namespace {

using namespace wingbeat;
using namespace wingbeat::channelising;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using wingbeat::test::refusal;

using samples = std::vector<std::int16_t>;
using stream = std::vector<std::byte>;

bool bit_of(const stream& packed, std::size_t bit) {
  return (std::to_integer<unsigned>(packed[bit / 8]) >> (7 - bit % 8) & 1) != 0;
}

samples unpacked_by_definition(const stream& packed, unsigned bits, std::size_t first,
                               std::size_t n) {
  samples all(n);
  for (std::size_t i = 0; i < n; ++i) {
    int value = bit_of(packed, (first + i) * bits) ? -1 : 0;
    for (unsigned b = 0; b < bits; ++b) {
      value = value * 2 + (bit_of(packed, (first + i) * bits + b) ? 1 : 0);
    }
    all[i] = static_cast<std::int16_t>(value);
  }
  return all;
}

stream random_bytes(std::size_t n, unsigned seed) {
  std::mt19937 bits{seed};
  stream all(n);
  for (std::byte& b : all) b = static_cast<std::byte>(bits());
  return all;
}

TEST(packed_samples, are_read_at_every_offset_and_width) {
  for (unsigned bits = min_sample_bits; bits <= max_sample_bits; ++bits) {
    const stream packed = random_bytes(61, bits);
    const std::size_t capacity = 61 * 8 / bits;
    for (std::size_t first = 0; first < 17; ++first) {
      for (const std::size_t n :
           {std::size_t{0}, std::size_t{1}, std::size_t{9}, capacity - first}) {
        if (first + n > capacity) continue;
        samples found(n);
        unpack_samples(packed, bits, first, found);
        EXPECT_EQ(found, unpacked_by_definition(packed, bits, first, n))
            << bits << " bits from " << first << ", " << n;
      }
    }
  }
}

TEST(packed_samples, are_written_at_every_offset_without_touching_the_rest) {
  for (unsigned bits = min_sample_bits; bits <= max_sample_bits; ++bits) {
    for (std::size_t first = 0; first < 17; ++first) {
      const stream before = random_bytes(61, bits);
      const samples wanted = unpacked_by_definition(random_bytes(61, 99), bits, 0, 13);
      stream packed = before;
      pack_samples(wanted, bits, first, packed);
      EXPECT_EQ(unpacked_by_definition(packed, bits, first, wanted.size()), wanted);
      for (std::size_t bit = 0; bit < packed.size() * 8; ++bit) {
        if (bit / bits >= first && bit / bits < first + wanted.size()) continue;
        ASSERT_EQ(bit_of(packed, bit), bit_of(before, bit)) << bits << " bits, bit " << bit;
      }
    }
  }
}

TEST(packed_samples, put_the_most_significant_bit_first) {
  stream packed(packed_bytes(4, 10));
  pack_samples(samples{511, -512, 1, -1}, 10, 0, packed);
  EXPECT_THAT(packed, ElementsAre(std::byte{0x7F}, std::byte{0xE0}, std::byte{0x00},
                                  std::byte{0x07}, std::byte{0xFF}));
  EXPECT_EQ(packed_bytes(4096, 10), 5120u);
  EXPECT_EQ(packed_bytes(3, 3), 2u);
}

TEST(packed_samples, refuse_what_does_not_fit) {
  stream packed(4);
  samples values{0, 0, 0, 4};
  EXPECT_THAT(refusal([&] { pack_samples(values, 3, 0, packed); }),
              HasSubstr("sample 3 is 4 and does not fit into 3 bits; give -4 to 3"));
  EXPECT_THAT(packed, ::testing::Each(std::byte{0}));
  values[3] = -5;
  EXPECT_THAT(refusal([&] { pack_samples(values, 3, 0, packed); }), HasSubstr("sample 3 is -5"));
  values[3] = -4;
  EXPECT_NO_THROW(pack_samples(values, 3, 6, packed));
  EXPECT_THAT(refusal([&] { pack_samples(values, 3, 7, packed); }),
              HasSubstr("4 samples of 3 bits from sample 7 on do not lie within 4 bytes"));
  EXPECT_THAT(refusal([&] { unpack_samples(packed, 1, 0, values); }), HasSubstr("2 to 16"));
  EXPECT_THAT(refusal([&] { unpack_samples(packed, 17, 0, values); }), HasSubstr("2 to 16"));
  EXPECT_THAT(refusal([&] { unpack_samples(packed, 16, ~std::size_t{0}, values); }),
              HasSubstr("do not lie within"));
}

}  // namespace
