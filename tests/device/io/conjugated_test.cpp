// SPDX-License-Identifier: Apache-2.0
// What changes values on their way, alone and composed with what changes places.
#include "wingbeat/device/io/conjugated.hpp"

#include <gtest/gtest.h>

#include "device/io/places.hpp"  // complex_places, loaded
#include "wingbeat/device/half.hpp"
#include "wingbeat/device/io.hpp"
#include "wingbeat/device/workgroup/contract.hpp"  // is_load, is_store

namespace {

using namespace wingbeat::test;
namespace io = wingbeat::device::io;
using namespace wingbeat::device;
using row = std::vector<complex<float>>;

TEST(conjugated, turns_the_sign_of_imaginary_parts) {
  auto memory = complex_places(3);
  const io::conjugated pattern{io::contiguous{memory.data()}};
  EXPECT_EQ(loaded(pattern, 3), (row{{1, 1}, {2, 2}, {3, 3}}));
  pattern(1, complex<float>{7, 8});
  EXPECT_EQ(memory, (row{{1, -1}, {7, -8}, {3, -3}}));
}

TEST(conjugated, twice_is_not_at_all) {
  auto memory = complex_places(3);
  const io::conjugated once{io::contiguous{memory.data()}};
  EXPECT_EQ(loaded(io::conjugated{once}, 3), memory);
  EXPECT_EQ(loaded(io::conjugated{io::conjugated{once}}, 3), (row{{1, 1}, {2, 2}, {3, 3}}));
  io::conjugated{once}(0, complex<float>{7, 8});
  EXPECT_EQ(memory[0], (complex<float>{7, 8}));
}

TEST(scaled, multiplies_complex_and_real_numbers_both_ways) {
  auto memory = complex_places(2);
  const io::scaled pattern{io::contiguous{memory.data()}, 0.5};
  EXPECT_EQ(loaded(pattern, 2), (row{{0.5f, -0.5f}, {1, -1}}));
  pattern(0, complex<float>{6, 8});
  EXPECT_EQ(memory[0], (complex<float>{3, 4}));
  std::vector<double> reals{1, 3};
  EXPECT_EQ(loaded(io::scaled{io::contiguous{reals.data()}, 1.0 / 3}, 2),
            (std::vector<double>{1.0 / 3, 1}));
}

TEST(scaled, rounds_a_product_in_fp16_once) {
  const complex<half_float> stored{half_float(3.0f), half_float(-5.0f)};
  const io::scaled pattern{io::contiguous{&stored}, 0.3f};
  EXPECT_EQ(pattern(0).re.bits, half_float(0.9).bits);
  EXPECT_EQ(pattern(0).im.bits, half_float(-1.5).bits);
  const half_float real(7.0f);
  EXPECT_EQ((io::scaled{io::contiguous{&real}, 0.1f}(0).bits), half_float(0.7).bits);
  const complex<half_pair> both{half_pair(1.0f, 2.0f), half_pair(3.0f, 4.0f)};
  const complex<half_pair> twice = io::scaled{io::contiguous{&both}, 2}(0);
  EXPECT_EQ(twice.re.second(), 4.0f);
  EXPECT_EQ(twice.im.first(), 6.0f);
}

TEST(composed, conjugated_strided_padded_reversed_scaled) {
  const auto memory = complex_places(12);
  const io::padded column{io::strided{memory.data() + 1, 4}, 3};  // places 1, 5, 9
  const io::conjugated load{io::scaled{io::reversed{column, 5}, 10.0f}};
  EXPECT_EQ(loaded(load, 5), (row{{20, 20}, {0, 0}, {0, 0}, {100, 100}, {60, 60}}));
}

TEST(composed, stores_pass_through_every_layer) {
  std::vector<complex<float>> memory(9, {-1, -1});
  const io::cropped kept{io::strided{memory.data(), 3}, 1, 3};
  const io::guarded store{io::conjugated{io::reversed{kept, 5}}, true};
  for (unsigned i = 0; i < 5; ++i) store(i, complex<float>{float(i), float(i)});
  // Element i goes to -i mod 5, of which 1, 2 and 3 are kept: elements 4, 3 and 2.
  const complex<float> none{-1, -1};
  EXPECT_EQ(memory, (row{{4, -4}, none, none, {3, -3}, none, none, {2, -2}, none, none}));
}

TEST(composed, is_a_load_and_a_store_to_a_transform) {
  namespace contract = wingbeat::device::workgroup::contract;
  using value = complex<float>;
  value memory{};
  const io::conjugated both{io::scaled{io::row_of(&memory, 1, io::member{0, true}), 2}};
  static_assert(contract::is_load<decltype(both), value>::value);
  static_assert(contract::is_store<decltype(both), value>::value);
  const io::padded only_load{both, 1};
  static_assert(contract::is_load<decltype(only_load), value>::value);
  static_assert(!contract::is_store<decltype(only_load), value>::value);
  const io::cropped only_store{both, 0, 1};
  static_assert(!contract::is_load<decltype(only_store), value>::value);
  static_assert(contract::is_store<decltype(only_store), value>::value);
  only_store(0, value{1, 2});
  EXPECT_EQ(only_load(0), (value{4, 8}));
  EXPECT_EQ(memory, (value{2, -4}));
}

TEST(composed, padded_complex_planes_of_a_guarded_row) {
  const std::vector<float> re{1, 2, 3, no_number}, im{4, 5, 6, no_number};
  const io::member who{0, true};
  const io::planar signal{io::row_of(re.data(), 4, who), io::row_of(im.data(), 4, who)};
  EXPECT_EQ(loaded(io::padded{signal, 3}, 5), (row{{1, 4}, {2, 5}, {3, 6}, {0, 0}, {0, 0}}));
}

}  // namespace
