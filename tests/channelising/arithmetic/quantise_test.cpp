// SPDX-License-Identifier: Apache-2.0
// Rounding, limits and dither: the published vectors of the generator, and laws of each step.
#include "channelising/arithmetic/quantise.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>  // sqrt

#include "channelising/arithmetic/dither.hpp"  // dither_at

namespace {

using namespace wingbeat;
using namespace wingbeat::channelising;
using ::testing::ElementsAre;
using namespace wingbeat::device;
using complex = std::complex<double>;

TEST(philox, gives_the_published_vectors) {
  EXPECT_THAT(philox({{0, 0, 0, 0}}, 0).word,
              ElementsAre(0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8));
  EXPECT_THAT(philox({{~0u, ~0u, ~0u, ~0u}}, ~std::uint64_t{0}).word,
              ElementsAre(0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd));
  EXPECT_THAT(philox({{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}}, 0x299f31d0a4093822).word,
              ElementsAre(0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1));
}

TEST(philox, gives_the_published_vectors_of_seven_rounds) {
  EXPECT_THAT(philox<7>({{0, 0, 0, 0}}, 0).word,
              ElementsAre(0x5f6fb709, 0x0d893f64, 0x4f121f81, 0x4f730a48));
  EXPECT_THAT(philox<7>({{~0u, ~0u, ~0u, ~0u}}, ~std::uint64_t{0}).word,
              ElementsAre(0x5207ddc2, 0x45165e59, 0x4d8ee751, 0x8c52f662));
}

TEST(dither, lies_strictly_within_half_a_step_and_has_no_mean) {
  EXPECT_LT(dither_of(~0u), 0.5f);
  EXPECT_EQ(dither_of(0), -dither_of(~0u));
  EXPECT_EQ(dither_of(0x80000000), -dither_of(0x7FFFFFFF));
  constexpr int n = 1 << 18;
  double sum = 0, squares = 0, products = 0;
  for (int i = 0; i < n; ++i) {
    const auto d = dither_at(99, i / 64 * 2048, static_cast<unsigned>(i % 64), 64, 0);
    sum += d.real() + d.imag();
    squares += std::norm(d);
    products += d.real() * d.imag();
  }
  EXPECT_NEAR(sum / (2 * n), 0, 5 * std::sqrt(1.0 / 12 / (2 * n)));
  EXPECT_NEAR(squares / (2 * n), 1.0 / 12, 5 * std::sqrt(1.0 / 180 / (2 * n)));
  EXPECT_NEAR(products / n, 0, 5.0 / 12 / std::sqrt(n));
}

TEST(dither, depends_on_all_that_it_is_made_of) {
  const auto base = dither_at(1, 2, 3, 64, 0);
  EXPECT_EQ(base, dither_at(1, 2, 3, 64, 0));
  EXPECT_NE(base, dither_at(2, 2, 3, 64, 0));
  EXPECT_NE(base, dither_at(1 + (1ull << 32), 2, 3, 64, 0));
  EXPECT_NE(base, dither_at(1, 3, 3, 64, 0));
  EXPECT_NE(base, dither_at(1, 2 + (std::int64_t{1} << 47), 3, 64, 0));
  EXPECT_NE(base, dither_at(1, 2, 4, 64, 0));
  EXPECT_NE(base, dither_at(1, 2, 3 + 32, 64, 0)) << "which has the same words";
  EXPECT_NE(base, dither_at(1, 2, 3, 64, 1));
  EXPECT_NE(base, dither_at(1, 2, 3, 64, 2));
  EXPECT_NE(base.real(), base.imag());
}

template <class Real>
void check_integers(heap_sample kind, int limit) {
  const auto check = [&](double u, double q, bool is_saturated) {
    const auto found = quantise(std::complex<Real>(static_cast<Real>(u), 0), kind);
    EXPECT_EQ(found.value.real(), q) << u;
    EXPECT_EQ(found.is_saturated, is_saturated) << u;
    const auto turned = quantise(std::complex<Real>(0, static_cast<Real>(-u)), kind);
    EXPECT_EQ(turned.value.imag(), -q) << u;
    EXPECT_EQ(turned.is_saturated, is_saturated) << u;
  };
  check(0.5, 0, false);
  check(1.5, 2, false);
  check(2.5, 2, false);
  check(2.75, 3, false);
  check(limit, limit, false);
  check(limit + 0.25, limit, true);
  check(limit + 1.0, limit, true);
  check(1e30, limit, true);
}

TEST(quantise, rounds_half_to_even_and_limits_symmetrically) {
  check_integers<double>(heap_sample::int4, 7);
  check_integers<double>(heap_sample::int8, 127);
  check_integers<double>(heap_sample::int16, 32767);
  check_integers<float>(heap_sample::int4, 7);
  check_integers<float>(heap_sample::int8, 127);
  check_integers<float>(heap_sample::int16, 32767);
}

TEST(quantise, adds_dither_before_it_limits) {
  EXPECT_EQ(quantise<double>({2.3, -2.3}, heap_sample::int8, {0.4, -0.4}).value, complex(3, -3));
  EXPECT_TRUE(quantise<double>({127, 0}, heap_sample::int8, {0.25, 0}).is_saturated);
  EXPECT_FALSE(quantise<double>({127.25, 0}, heap_sample::int8, {-0.25, 0}).is_saturated);
}

TEST(quantise, limits_floating_point_to_finite_values) {
  EXPECT_FALSE(quantise<double>({65504, -65504}, heap_sample::fp16).is_saturated);
  EXPECT_EQ(quantise<double>({65505, 1.3}, heap_sample::fp16).value, complex(65504, 1.3));
  EXPECT_TRUE(quantise<double>({0, 65505}, heap_sample::fp16).is_saturated);
  EXPECT_TRUE(quantise<double>({0, -1e39}, heap_sample::fp32).is_saturated);
  EXPECT_FALSE(quantise<double>({0, -3e38}, heap_sample::fp32).is_saturated);
}

template <std::size_t N>
std::array<int, N> stored(complex value, heap_sample kind) {
  std::array<std::byte, N> bytes{};
  EXPECT_EQ(complex_bytes(kind), N);
  store_complex(value, kind, bytes);
  EXPECT_EQ(load_complex(bytes, kind), value);
  std::array<int, N> numbers;
  for (std::size_t i = 0; i < N; ++i) numbers[i] = std::to_integer<int>(bytes[i]);
  return numbers;
}

TEST(store_complex, puts_the_real_part_first) {
  EXPECT_THAT(stored<1>({-7, 3}, heap_sample::int4), ElementsAre(0x93));
  EXPECT_THAT(stored<1>({7, -1}, heap_sample::int4), ElementsAre(0x7F));
  EXPECT_THAT(stored<2>({-127, 5}, heap_sample::int8), ElementsAre(0x81, 5));
  EXPECT_THAT(stored<4>({-2, 258}, heap_sample::int16), ElementsAre(0xFE, 0xFF, 2, 1));
  EXPECT_THAT(stored<4>({1, -2}, heap_sample::fp16), ElementsAre(0, 0x3C, 0, 0xC0));
  EXPECT_THAT(stored<8>({1, -2}, heap_sample::fp32), ElementsAre(0, 0, 0x80, 0x3F, 0, 0, 0, 0xC0));
}

TEST(store_complex, rounds_floating_point_once) {
  std::array<std::byte, 4> bytes{};
  // Above the middle of two fp16 numbers by less than fp32 shows.
  store_complex({1 + std::ldexp(1.0, -11) + std::ldexp(1.0, -40), 1 + std::ldexp(1.0, -11)},
                heap_sample::fp16, bytes);
  EXPECT_EQ(load_complex(bytes, heap_sample::fp16), complex(1 + std::ldexp(1.0, -10), 1));
}

}  // namespace
