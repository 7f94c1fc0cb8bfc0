// SPDX-License-Identifier: Apache-2.0
// Samples of test signals against closed forms, and their promises: periodic, reproducible, the
// same in pieces.
#include "signals/source.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>    // cos, fmod, sqrt
#include <numbers>  // pi

#include "support/refusal.hpp"  // refusal

namespace {

using namespace wingbeat;
using namespace wingbeat::signals;
using std::numbers::pi;
using ::testing::HasSubstr;
using wingbeat::test::refusal;

constexpr double rate = 1e6;

std::vector<double> samples_of(const std::string& text, std::uint64_t n) {
  std::vector<double> all(n);
  signal_source(text, {rate, n}).evaluate(0, all);
  return all;
}

TEST(signal_source, makes_tones_that_close_with_the_period) {
  // 1000 samples are 1 ms, so 123,456 Hz becomes 123 turns.
  const auto x = samples_of("0.5 + cw(0.25, 123456) * cw(2, -1e3)", 1000);
  for (int t = 0; t < 1000; ++t) {
    const double expected =
        0.5 + 0.5 * std::cos(2 * pi * std::fmod(0.123 * t, 1)) * std::cos(2 * pi * 0.001 * t);
    EXPECT_NEAR(x[static_cast<std::size_t>(t)], expected, 1e-12);
  }
  const auto several = samples_of("multicw(2, 0.1, 10e3, 5e3)", 1000);
  EXPECT_NEAR(several[7], 0.1 * (std::cos(2 * pi * 0.07) + std::cos(2 * pi * 0.105)), 1e-12);
}

TEST(signal_source, makes_pulses_at_the_first_sample_of_each_turn) {
  const auto x = samples_of("comb(3, 300e3)", 10);
  EXPECT_THAT(x, ::testing::ElementsAre(3, 0, 0, 0, 3, 0, 0, 3, 0, 0));
  EXPECT_THAT(samples_of("comb(1, 1e6)", 3), ::testing::Each(1));
}

TEST(signal_source, makes_noise_that_depends_on_its_seed_alone) {
  constexpr std::size_t n = 1 << 18;
  const auto x = samples_of("wgn(0.5, 1)", n), y = samples_of("wgn(0.5, 2)", n);
  EXPECT_EQ(x, samples_of("wgn(0.5, 1)", n));
  double sum = 0, squares = 0, cross = 0, next = 0, fourth = 0;
  for (std::size_t i = 0; i < n; ++i) {
    sum += x[i];
    squares += x[i] * x[i];
    fourth += std::pow(x[i], 4);
    cross += x[i] * y[i];
    next += x[i] * x[(i + 1) % n];
  }
  const double deviation = 1 / std::sqrt(static_cast<double>(n));
  EXPECT_NEAR(sum / n, 0, 2.5 * deviation);
  EXPECT_NEAR(squares / n, 0.25, 5 * 0.25 * std::sqrt(2.0) * deviation);
  EXPECT_NEAR(fourth / n, 3 * 0.0625, 0.0625 * 50 * deviation);
  EXPECT_NEAR(cross / n, 0, 5 * 0.25 * deviation);
  EXPECT_NEAR(next / n, 0, 5 * 0.25 * deviation);
}

TEST(signal_source, delays_turn_round) {
  const auto x = samples_of("wgn(1, 3) + cw(1, 50e3)", 100);
  for (const int delay : {0, 1, 37, 99, 100, 237, -1, -263}) {
    const auto y = samples_of("delay(wgn(1, 3) + cw(1, 50e3), " + std::to_string(delay) + ")", 100);
    for (int i = 0; i < 100; ++i) {
      ASSERT_EQ(y[static_cast<std::size_t>(((i + delay) % 100 + 100) % 100)],
                x[static_cast<std::size_t>(i)])
          << delay;
    }
  }
}

TEST(signal_source, is_the_same_in_pieces) {
  constexpr std::uint64_t n = 10001;
  const signal_period period{rate, n};
  const signal_source source(
      "delay(wgn(0.1, 5), 4711) * comb(1, 300e3) + cw(0.3, 77e3) - wgn(0.1, 6)", period);
  const digitiser adc{.sample_bits = 10, .seed = 4, .polarisation = 1};
  std::vector<std::int16_t> whole(n), pieces;
  digitise(source, period, adc, 0, whole);
  for (std::uint64_t first = 0; first < n;) {
    std::vector<std::int16_t> piece(std::min<std::uint64_t>(1 + first % 613, n - first));
    digitise(source, period, adc, first, piece);
    pieces.insert(pieces.end(), piece.begin(), piece.end());
    first += piece.size();
  }
  EXPECT_EQ(pieces, whole);
  std::vector<std::int16_t> around(20);
  digitise(source, period, adc, n - 10, around);
  EXPECT_TRUE(std::equal(around.begin() + 10, around.end(), whole.begin()));
}

TEST(digitise, limits_to_full_scale_symmetrically) {
  const signal_period period{rate, 4};
  std::vector<std::int16_t> out(4);
  const signal_source loud("nodither(cw(1.5, 250e3))", period);
  EXPECT_EQ(digitise(loud, period, {.sample_bits = 8}, 0, out), 2u);
  EXPECT_THAT(out, ::testing::ElementsAre(127, 0, -127, 0));
  const signal_source full("nodither(cw(1, 250e3))", period);
  EXPECT_EQ(digitise(full, period, {.sample_bits = 2}, 0, out), 0u);
  EXPECT_THAT(out, ::testing::ElementsAre(1, 0, -1, 0));
}

TEST(digitise, rounds_with_dither_unless_told_otherwise) {
  constexpr std::uint64_t n = 1 << 16;
  const signal_period period{rate, n};
  std::vector<std::int16_t> out(n), other(n);
  const signal_source quarter("0.25 * 1", {rate, n});
  digitise(quarter, period, {.sample_bits = 2}, 0, out);
  double sum = 0;
  for (const auto x : out) sum += x;
  EXPECT_NEAR(sum / n, 0.25, 0.01) << "the mean of the rounded values is the value";
  digitise(quarter, period, {.sample_bits = 2, .polarisation = 1}, 0, other);
  EXPECT_NE(out, other);
  digitise(quarter, period, {.sample_bits = 2, .seed = 1}, 0, other);
  EXPECT_NE(out, other);
  digitise(signal_source("nodither(0.25)", period), period, {.sample_bits = 2}, 0, out);
  EXPECT_THAT(out, ::testing::Each(0));
}

TEST(signal_source, refuses_frequencies_that_it_cannot_make) {
  const auto why = [](const std::string& text) {
    return refusal([&] { signal_source(text, {rate, 1000}); });
  };
  EXPECT_EQ(why("1 + cw(1, 600e3)"),
            "column 5: a frequency is 600000 Hz; give at most 500000 at this rate");
  EXPECT_THAT(why("comb(1, 1.1e6)"), HasSubstr("at most 1000000"));
  EXPECT_THAT(why("delay(cw(1, 400), 3)"), HasSubstr("less than half a turn in the 1000 samples"));
  EXPECT_THAT(why("comb(1, 0)"), HasSubstr("a frequency is 0 Hz"));
  EXPECT_THAT(samples_of("cw(2, 0)", 10), ::testing::Each(2));
}

}  // namespace
