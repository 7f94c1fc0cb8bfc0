// SPDX-License-Identifier: Apache-2.0
// Oracle: every fp16 number as its fields say, in long double; the nearest of them by search.
#include "wingbeat/device/half.hpp"

#include <gtest/gtest.h>

#include <algorithm>  // lower_bound
#include <cmath>      // ldexp, nextafter, isnan, signbit
#include <cstdint>    // uint32_t
#include <limits>
#include <random>  // mt19937
#include <vector>

#include "support/oracle.hpp"  // dft_by_definition, relative_l2
#include "support/signal.hpp"  // noise, length
#include "wingbeat/device/thread/dft.hpp"

namespace {

using namespace wingbeat::test;
using namespace wingbeat::device;
namespace fp16 = wingbeat::device::fp16;

constexpr unsigned infinite = 0x7c00;
constexpr double u = 0x1p-11;

// The value of finite, non-negative bits.
long double by_fields(unsigned bits) {
  const int exponent = static_cast<int>(bits >> 10);
  const int fraction = static_cast<int>(bits & 0x3ff);
  return exponent == 0 ? std::ldexp(static_cast<long double>(fraction), -24)
                       : std::ldexp(static_cast<long double>(fraction + 1024), exponent - 25);
}

// The finite, non-negative numbers in order, so that a number's place is its bits; then 2^16,
// where infinity begins as far as rounding is concerned.
const std::vector<long double>& numbers() {
  static const std::vector<long double> values = [] {
    std::vector<long double> result;
    for (unsigned bits = 0; bits < infinite; ++bits) result.push_back(by_fields(bits));
    result.push_back(0x1p16L);
    return result;
  }();
  return values;
}

unsigned nearest_by_search(long double x) {
  const unsigned sign = std::signbit(x) ? 0x8000 : 0;
  const long double magnitude = std::abs(x);
  const auto above = std::lower_bound(numbers().begin(), numbers().end(), magnitude);
  if (above == numbers().end()) return sign | infinite;
  const auto bits = static_cast<unsigned>(above - numbers().begin());
  if (*above == magnitude || bits == 0) return sign | bits;
  const long double up = *above - magnitude, down = magnitude - *(above - 1);
  if (up != down) return sign | (up < down ? bits : bits - 1);
  return sign | (bits % 2 == 0 ? bits : bits - 1);
}

TEST(half, widens_every_number_exactly_and_back) {
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    const float wide = half_float::of_bits(bits);
    const unsigned magnitude = bits & 0x7fff;
    if (magnitude > infinite) {
      ASSERT_TRUE(std::isnan(wide)) << bits;
      ASSERT_TRUE(std::isnan(static_cast<float>(half_float(wide)))) << bits;
      continue;
    }
    const long double expected =
        magnitude == infinite ? std::numeric_limits<long double>::infinity() : by_fields(magnitude);
    ASSERT_EQ(wide, (bits & 0x8000) != 0 ? -expected : expected) << bits;
    ASSERT_EQ(std::signbit(wide), (bits & 0x8000) != 0) << bits;
    ASSERT_EQ(half_float(wide).bits, bits);
    ASSERT_EQ(half_float(static_cast<double>(wide)).bits, bits);
  }
}

TEST(half, rounds_midpoints_to_even_and_their_neighbours_to_nearest) {
  for (unsigned bits = 0; bits < infinite; ++bits) {
    const auto midpoint = static_cast<float>((numbers()[bits] + numbers()[bits + 1]) / 2);
    for (const float sign : {1.0f, -1.0f}) {
      for (const float x :
           {midpoint, std::nextafter(midpoint, 0.0f), std::nextafter(midpoint, 1e6f)}) {
        ASSERT_EQ(half_float(sign * x).bits, nearest_by_search(sign * x)) << bits << " " << x;
      }
      // Next to a midpoint by less than a float can tell: rounding twice would go wrong here.
      for (const double x : {std::nextafter(static_cast<double>(midpoint), 0.0),
                             std::nextafter(static_cast<double>(midpoint), 1e6)}) {
        ASSERT_EQ(half_float(sign * x).bits, nearest_by_search(sign * x)) << bits << " " << x;
      }
    }
  }
}

TEST(half, rounds_any_float_to_the_nearest) {
  std::mt19937 random{1};
  for (int tries = 0; tries < 1000000; ++tries) {
    const float x = wingbeat::device::float_of(static_cast<std::uint32_t>(random()));
    const unsigned got = half_float(x).bits;
    if (std::isnan(x)) {
      ASSERT_GT(got & 0x7fffu, infinite);
    } else {
      ASSERT_EQ(got, nearest_by_search(x)) << x;
    }
  }
}

TEST(half, rounds_the_extremes) {
  EXPECT_EQ(half_float(65519.996f).bits, 0x7bff);
  EXPECT_EQ(half_float(65520.0f).bits, infinite);
  EXPECT_EQ(half_float(1e300).bits, infinite);
  EXPECT_EQ(half_float(-1e300).bits, 0x8000 | infinite);
  EXPECT_EQ(half_float(std::numeric_limits<double>::infinity()).bits, infinite);
  EXPECT_EQ(half_float(1e-300).bits, 0);
  EXPECT_EQ(half_float(-1e-300).bits, 0x8000);
  EXPECT_TRUE(std::isnan(static_cast<float>(half_float(std::nan("")))));
  EXPECT_EQ(half_float(70000).bits, infinite);
  EXPECT_EQ(half_float(-3).bits, 0xc200);
  EXPECT_EQ(half_float(2049u).bits, nearest_by_search(2049));
}

// What a kernel's compiler must be able to fold.
static_assert(half_float(0.70710678118654752440).bits == 0x39a8);
static_assert(half_pair(0.70710678118654752440).bits == 0x39a839a8);
static_assert(half_pair(1).bits == 0x3c003c00);
static_assert(sizeof(complex<half_float>) == 4 && sizeof(complex<half_pair>) == 8);

TEST(half, arithmetic_rounds_the_exact_result_once) {
  std::mt19937 random{2};
  for (int tries = 0; tries < 200000; ++tries) {
    const auto a = half_float::of_bits(random() % infinite | (random() & 1) << 15);
    const auto b = half_float::of_bits(random() % infinite | (random() & 1) << 15);
    const long double x = static_cast<float>(a), y = static_cast<float>(b);
    const half_pair p(a, b), q(b, b), sum = p + q, difference = p - q, product = p * q;
    ASSERT_EQ((a + b).bits, nearest_by_search(x + y)) << x << " " << y;
    ASSERT_EQ((a - b).bits, nearest_by_search(x - y)) << x << " " << y;
    ASSERT_EQ((a * b).bits, nearest_by_search(x * y)) << x << " " << y;
    ASSERT_EQ((-a).bits, a.bits ^ 0x8000);
    ASSERT_EQ(sum.first().bits, nearest_by_search(x + y));
    ASSERT_EQ(sum.second().bits, nearest_by_search(y + y));
    ASSERT_EQ(difference.first().bits, nearest_by_search(x - y));
    ASSERT_EQ(difference.second().bits, 0);
    ASSERT_EQ(product.first().bits, nearest_by_search(x * y));
    ASSERT_EQ(product.second().bits, nearest_by_search(y * y));
    ASSERT_EQ((-p).first().bits, a.bits ^ 0x8000);
    ASSERT_EQ((-p).second().bits, b.bits ^ 0x8000);
  }
}

TEST(half, widens_and_narrows_complex_numbers) {
  const complex<half_float> z = narrow(complex<float>{1.5f, -0.1f});
  const complex<float> wide = widen(z);
  EXPECT_EQ(wide.re, 1.5f);
  EXPECT_NEAR(wide.im, -0.1f, 0.1f * u);
  const complex<float> same = narrow<float>(widen(complex<float>{0.1f, 0.2f}));
  EXPECT_EQ(same.re, 0.1f);
  EXPECT_EQ(same.im, 0.2f);
  const complex<half_float> none{};
  EXPECT_EQ(none.re.bits | none.im.bits, 0);
}

template <class Length>
class half_pair_dft : public ::testing::Test {};
using lengths = ::testing::Types<length<2>, length<4>, length<8>, length<16>, length<32>>;
TYPED_TEST_SUITE(half_pair_dft, lengths);

// Transforms two signals in the lanes of one, and compares both with the definition.
template <int N, direction Dir>
void compare_both_lanes(std::uint64_t seed) {
  complex<half_pair> x[N];
  std::vector<complex<float>> first, second, got_first, got_second;
  for (int j = 0; j < N; ++j) {
    const auto a = noise<float, N>(2 * seed)[j], b = noise<float, N>(2 * seed + 1)[j];
    x[j] = {half_pair(a.re, b.re), half_pair(a.im, b.im)};
    first.push_back({x[j].re.first(), x[j].im.first()});
    second.push_back({x[j].re.second(), x[j].im.second()});
  }
  wingbeat::device::thread::dft<Dir>(x);
  for (const auto& z : x) {
    got_first.push_back({z.re.first(), z.im.first()});
    got_second.push_back({z.re.second(), z.im.second()});
  }
  // Three roundings for each doubling, each of half a unit at most, and the rounded twiddles.
  const double bound = 1.5 * u * std::log2(N);
  EXPECT_LE(relative_l2(got_first, dft_by_definition<Dir>(first)), bound);
  EXPECT_LE(relative_l2(got_second, dft_by_definition<Dir>(second)), bound);
}

TYPED_TEST(half_pair_dft, agrees_with_the_definition_in_both_lanes) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    compare_both_lanes<TypeParam::value, direction::forward>(seed);
    compare_both_lanes<TypeParam::value, direction::inverse>(seed);
  }
}

TEST(half, transforms_of_stored_numbers_stay_near) {
  complex<half_float> x[8];
  std::vector<complex<float>> exact_x, got;
  for (int j = 0; j < 8; ++j) {
    x[j] = narrow(noise<float, 8>(5)[j]);
    exact_x.push_back(widen(x[j]));
  }
  wingbeat::device::thread::dft<direction::forward>(x);
  for (const auto& z : x) got.push_back(widen(z));
  EXPECT_LE(relative_l2(got, dft_by_definition<direction::forward>(exact_x)), 4.5 * u);
}

}  // namespace
