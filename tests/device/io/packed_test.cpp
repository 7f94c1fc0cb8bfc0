// SPDX-License-Identifier: Apache-2.0
// Reals as complex numbers: two to one, one to one, and in planes.
#include "wingbeat/device/io/packed.hpp"

#include <gtest/gtest.h>

#include "device/io/places.hpp"  // places, within, loaded
#include "wingbeat/device/half.hpp"
#include "wingbeat/device/io.hpp"

namespace {

using namespace wingbeat::test;
namespace io = wingbeat::device::io;
using wingbeat::device::half_float;
using row = std::vector<complex<float>>;

TEST(packed, loads_and_stores_the_bytes_of_adjacent_pairs) {
  auto memory = places(8);
  const io::packed apart{io::contiguous{memory.data()}};
  EXPECT_EQ(loaded(apart, 4), (row{{1, 2}, {3, 4}, {5, 6}, {7, 8}}));
  EXPECT_EQ(loaded(apart, 4), loaded(io::adjacent_pairs{memory.data()}, 4));
  apart(1, complex<float>{-3, -4});
  io::adjacent_pairs{memory.data()}(2, complex<float>{-5, -6});
  EXPECT_EQ(memory, (std::vector<float>{1, 2, -3, -4, -5, -6, 7, 8}));
}

TEST(packed, ends_within_a_pair_where_the_valid_length_is_odd) {
  const auto memory = places(7);
  for (unsigned valid = 0; valid <= 7; ++valid) {
    const io::packed signal{io::padded{within{memory.data(), valid}, valid}};
    for (unsigned i = 0; i < 8; ++i) {
      EXPECT_EQ(signal(i).re, 2 * i < valid ? memory[2 * i] : 0) << valid;
      EXPECT_EQ(signal(i).im, 2 * i + 1 < valid ? memory[2 * i + 1] : 0) << valid;
    }
  }
}

TEST(packed, loads_pairs_that_lie_apart) {
  const auto memory = places(12);
  const io::strided column{memory.data() + 2, 3};  // places 2, 5, 8, 11
  EXPECT_EQ(loaded(io::packed{column}, 2), (row{{3, 6}, {9, 12}}));
  EXPECT_EQ(loaded(io::packed{io::padded{column, 3}}, 3), (row{{3, 6}, {9, 0}, {0, 0}}));
}

TEST(packed, crops_an_odd_number_of_reals) {
  std::vector<float> memory(8, -7);
  const io::packed store{io::cropped{io::contiguous{memory.data()}, 1, 5}};
  for (unsigned i = 0; i < 4; ++i) store(i, complex<float>{float(2 * i), float(2 * i + 1)});
  EXPECT_EQ(memory, (std::vector<float>{1, 2, 3, 4, 5, -7, -7, -7}));
}

TEST(packed, takes_halves) {
  const half_float memory[4] = {half_float(1), half_float(2), half_float(3), half_float(4)};
  const complex<half_float> z = io::packed{io::padded{io::contiguous{memory}, 3}}(1);
  EXPECT_EQ(z.re, 3.0f);
  EXPECT_EQ(z.im, 0.0f);
  const complex<half_float> same = io::adjacent_pairs{memory}(1);
  EXPECT_EQ(same.im, 4.0f);
}

TEST(real_part, loads_no_imaginary_part_and_stores_none) {
  auto memory = places(4);
  const io::real_part pattern{io::strided{memory.data(), 2}};
  EXPECT_EQ(loaded(pattern, 2), (row{{1, 0}, {3, 0}}));
  pattern(1, complex<float>{9, no_number});
  EXPECT_EQ(memory, (std::vector<float>{1, 2, 9, 4}));
}

TEST(planar, takes_the_parts_from_two_places) {
  auto re = places(3), im = places(6);
  const io::planar pattern{io::contiguous{re.data()}, io::strided{im.data(), 2}};
  EXPECT_EQ(loaded(pattern, 3), (row{{1, 1}, {2, 3}, {3, 5}}));
  pattern(1, complex<float>{-2, -3});
  EXPECT_EQ(re, (std::vector<float>{1, -2, 3}));
  EXPECT_EQ(im, (std::vector<float>{1, 2, -3, 4, 5, 6}));
}

TEST(adjacent, moves_several_values_at_once) {
  alignas(16) float memory[12];
  for (int k = 0; k < 12; ++k) memory[k] = static_cast<float>(k);
  const auto* const address = reinterpret_cast<const complex<float>*>(memory);
  complex<float> two[2];
  io::load_adjacent(address, 2, two);
  EXPECT_EQ(two[0], (complex<float>{4, 5}));
  EXPECT_EQ(two[1], (complex<float>{6, 7}));
  const float four[4] = {-1, -2, -3, -4};
  io::store_adjacent(memory, 8, four);
  EXPECT_EQ(memory[7], 7);
  EXPECT_EQ(memory[8], -1);
  EXPECT_EQ(memory[11], -4);
  static_assert(sizeof(io::adjacent<complex<half_float>, 4>) == 16);
  static_assert(alignof(io::adjacent<complex<half_float>, 4>) == 16);
}

}  // namespace
