// SPDX-License-Identifier: Apache-2.0
// The two ways backwards, and what they are for: correlation by the definition, in whole numbers.
#include "wingbeat/device/io/reversed.hpp"

#include <gtest/gtest.h>

#include "device/io/places.hpp"               // places, within, loaded
#include "support/oracle.hpp"                 // dft_by_definition, max_error
#include "wingbeat/device/io/contiguous.hpp"  // contiguous
#include "wingbeat/device/io/padded.hpp"      // padded
#include "wingbeat/device/io/strided.hpp"     // strided

namespace {

using namespace wingbeat::test;
namespace io = wingbeat::device::io;
using row = std::vector<float>;

constexpr unsigned n = 12;  // of the transforms; any length will do

TEST(reversed, keeps_element_0) {
  const auto memory = places(5);
  EXPECT_EQ(loaded(io::reversed{within{memory.data(), 5}, 5}, 5), (row{1, 5, 4, 3, 2}));
  EXPECT_EQ(loaded(io::flipped{within{memory.data(), 5}, 5}, 5), (row{5, 4, 3, 2, 1}));
  EXPECT_EQ(loaded(io::reversed{within{memory.data(), 1}, 1}, 1), (row{1}));
}

TEST(reversed, twice_is_not_at_all) {
  const auto memory = places(7);
  const io::contiguous x{memory.data()};
  EXPECT_EQ(loaded(io::reversed{io::reversed{x, 7}, 7}, 7), memory);
  EXPECT_EQ(loaded(io::flipped{io::flipped{x, 7}, 7}, 7), memory);
}

TEST(reversed, stores_where_it_loads) {
  std::vector<float> memory(6, no_number);
  const io::reversed pattern{io::contiguous{memory.data()}, 6};
  for (unsigned i = 0; i < 6; ++i) pattern(i, static_cast<float>(i));
  EXPECT_EQ(memory, (row{0, 5, 4, 3, 2, 1}));
  EXPECT_EQ(loaded(pattern, 6), (row{0, 1, 2, 3, 4, 5}));
  const io::flipped back{io::contiguous{memory.data()}, 6};
  for (unsigned i = 0; i < 6; ++i) back(i, static_cast<float>(i));
  EXPECT_EQ(memory, (row{5, 4, 3, 2, 1, 0}));
}

TEST(reversed, of_a_padded_signal_wraps_to_the_end) {
  const auto memory = places(3);
  const io::padded signal{within{memory.data(), 3}, 3};
  EXPECT_EQ(loaded(io::reversed{signal, 6}, 6), (row{1, 0, 0, 0, 3, 2}));
  const io::flipped last_first{within{memory.data(), 3}, 3};
  EXPECT_EQ(loaded(io::padded{last_first, 3}, 6), (row{3, 2, 1, 0, 0, 0}));
  const auto matrix = places(9);
  const io::padded column{io::flipped{io::strided{matrix.data() + 1, 3}, 3}, 3, 1};
  EXPECT_EQ(loaded(column, 5), (row{0, 8, 5, 2, 0}));
}

const std::vector<float> a{3, 1, -4, 1, 5, -9, 2}, b{2, -7, 1, 8};

// The circular convolution that a product of transforms stands for.
row convolved(const row& x, const row& y) {
  row z(n);
  for (unsigned i = 0; i < n; ++i) {
    for (unsigned j = 0; j < n; ++j) z[(i + j) % n] += x[i] * y[j];
  }
  return z;
}

float lag(int m) {
  float sum = 0;
  for (int j = 0; j < 4; ++j) sum += j + m >= 0 && j + m < 7 ? a[j + m] * b[j] : 0;
  return sum;
}

TEST(reversed, convolving_with_it_correlates_with_lag_0_at_0) {
  const auto x = loaded(io::padded{within{a.data(), 7}, 7}, n);
  const auto y = loaded(io::reversed{io::padded{within{b.data(), 4}, 4}, n}, n);
  const auto z = convolved(x, y);
  for (int m = -3; m < 7; ++m) EXPECT_EQ(z[(m + n) % n], lag(m)) << m;
}

TEST(flipped, convolving_with_it_correlates_with_lag_0_at_the_last_valid_element) {
  const auto x = loaded(io::padded{within{a.data(), 7}, 7}, n);
  const auto y = loaded(io::padded{io::flipped{within{b.data(), 4}, 4}, 4}, n);
  const auto z = convolved(x, y);
  for (int m = -3; m < 7; ++m) EXPECT_EQ(z[m + 3], lag(m)) << m;
}

TEST(reversed, transforms_to_the_conjugate_of_a_real_signal_s_transform) {
  const io::padded signal{within{a.data(), 7}, 7};
  const std::vector<float> x = loaded(signal, n), y = loaded(io::reversed{signal, n}, n);
  auto expected =
      dft_by_definition(std::vector<long double>(x.begin(), x.end()), direction::forward);
  for (auto& z : expected) z = std::conj(z);
  const auto got =
      dft_by_definition(std::vector<long double>(y.begin(), y.end()), direction::forward);
  EXPECT_LT(max_error(got, expected), 1e-15);
}

}  // namespace
