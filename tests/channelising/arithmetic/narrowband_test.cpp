// SPDX-License-Identifier: Apache-2.0
// The mixer's phase, the filter's response, and the decimated signal against the formula.
#include "channelising/arithmetic/narrowband.hpp"

#include <gtest/gtest.h>

#include <cmath>    // abs, fmod, log10, sqrt
#include <numbers>  // pi_v
#include <random>

namespace {

using namespace wingbeat;
using namespace wingbeat::channelising;
using std::numbers::pi;
using complex = std::complex<double>;

TEST(turn_per_sample, is_the_rounded_quotient) {
  EXPECT_EQ(turn_per_sample(428e6, 1712e6), std::uint64_t{1} << 62);
  EXPECT_EQ(turn_per_sample(-428e6, 1712e6), std::uint64_t{3} << 62);
  EXPECT_EQ(turn_per_sample(0, 1712e6), 0u);
  EXPECT_EQ(turn_per_sample(1, 3), 0x5555555555555555u);
  EXPECT_EQ(turn_per_sample(2, 3), 0xAAAAAAAAAAAAAAABu);
  EXPECT_EQ(turn_per_sample(5, 3), 0xAAAAAAAAAAAAAAABu) << "whole turns do not count";
  EXPECT_EQ(turn_per_sample(1, 7), 0x2492492492492492u);
}

TEST(mixer, keeps_its_phase_near_the_end_of_48_bits) {
  const std::uint64_t turn = turn_per_sample(1, 3);
  const std::int64_t third = (std::int64_t{1} << 47) / 3 * 3;
  for (std::int64_t i = 0; i < 9; ++i) {
    const complex expected = std::polar(1.0, -2 * pi * static_cast<double>(i % 3) / 3);
    EXPECT_NEAR(std::abs(mixer(turn, third + i) - expected), 0, 1e-4) << "2^47 rounded turns";
    EXPECT_NEAR(std::abs(mixer(turn, third + i) - mixer(turn, third) * mixer(turn, i)), 0, 1e-15);
  }
  EXPECT_NEAR(std::abs(mixer(turn_per_sample(1, 4), third + 1 - third % 4) - complex(0, -1)), 0,
              1e-15);
}

double response(const std::vector<double>& taps, double cycles_per_sample) {
  complex sum = 0;
  for (std::size_t a = 0; a < taps.size(); ++a) {
    sum += taps[a] * std::polar(1.0, -2 * pi * cycles_per_sample * static_cast<double>(a));
  }
  return std::abs(sum);
}

TEST(filter_taps, pass_the_inner_half_and_stop_what_would_alias_there) {
  for (const std::size_t s : {4, 8, 16, 32}) {
    const auto taps = filter_taps({16 * s, s, 0.25});
    const double scale = std::sqrt(static_cast<double>(s)), rate = 1 / static_cast<double>(s);
    for (double f = 0; f <= 0.25; f += 0.01) {
      EXPECT_NEAR(20 * std::log10(response(taps, f * rate) / scale), 0, 1e-4) << f;
    }
    for (double f = 0.75; f <= static_cast<double>(s) / 2; f += 0.01) {
      EXPECT_LT(20 * std::log10(response(taps, f * rate) / scale), -115) << s << " " << f;
    }
    double energy = 0;
    for (std::size_t a = 0; a < taps.size(); ++a) {
      energy += taps[a] * taps[a];
      EXPECT_NEAR(taps[a], taps[taps.size() - 1 - a], 1e-15);
    }
    EXPECT_NEAR(energy, 1, 0.1) << "noise keeps its level within the transition's share";
  }
}

TEST(filter_taps, meet_the_limits_of_vlbi) {
  const decimating_filter filter{16 * 16, 16, 0.598 / 2};  // decimation 8
  const auto taps = filter_taps(filter);
  for (double f = 0; f <= 1; f += 0.01) {
    const double gain = 20 * std::log10(response(taps, f * filter.pass_edge / 16) / 4);
    EXPECT_NEAR(gain, 0, 0.01) << f;
  }
  for (double f = 1 - filter.pass_edge; f <= 8; f += 0.01) {
    EXPECT_LT(20 * std::log10(response(taps, f / 16) / 4), -80) << f;
  }
  EXPECT_NEAR(designed_attenuation_db(filter), 100, 1);
  EXPECT_EQ(filter_taps({1, 4, 0.25}), std::vector<double>{2.0});
}

TEST(filter_response, is_the_largest_gain_of_a_dense_grid) {
  for (const decimating_filter& filter :
       {decimating_filter{256, 16, 0.299}, decimating_filter{256, 16, 0.49},
        decimating_filter{128, 8, 0.25}, decimating_filter{7, 16, 0.4}}) {
    const auto taps = filter_taps(filter);
    const auto s = static_cast<double>(filter.subsampling);
    const double whole = response(taps, 0);
    double ripple_db = 0, alias_db = -400;
    for (int step = 0; step <= 500 * s; ++step) {
      const double f = step / 1000.0;
      const double gain_db = 20 * std::log10(response(taps, f / s) / whole);
      const double distance = std::abs(f - std::round(f));
      if (distance > filter.pass_edge + 1e-9) continue;
      if (f < 0.5) {
        ripple_db = std::max(ripple_db, std::abs(gain_db));
      } else {
        alias_db = std::max(alias_db, gain_db);
      }
    }
    const filter_response found = response_of(filter);
    EXPECT_NEAR(found.ripple_db, ripple_db, 0.02 * ripple_db + 0.002) << filter.pass_edge;
    EXPECT_NEAR(found.alias_db, alias_db, alias_db < -60 ? 3 : 0.5) << filter.pass_edge;
  }
}

TEST(filter_response, widest_pass_band_meets_its_limit) {
  for (const std::size_t s : {4u, 16u, 64u}) {
    decimating_filter filter{16 * s, s, 0.25};
    filter.pass_edge = widest_pass_band(filter, 42) / 2;
    EXPECT_LT(response_of(filter).alias_db, -40) << s;
    filter.pass_edge += 0.02;
    EXPECT_GT(response_of(filter).alias_db, -40) << s;
  }
  EXPECT_EQ(widest_pass_band({1, 4, 0.25}, 42), 0);
}

TEST(downconverted, is_the_formula) {
  const struct {
    std::size_t taps, subsampling;
    unsigned bits;
  } cases[] = {{256, 16, 10}, {256, 16, 12}, {256, 16, 13}, {256, 8, 16},
               {257, 32, 8},  {256, 64, 5},  {32, 32, 7},   {55, 5, 10}};
  std::mt19937 bits{3};
  std::uniform_real_distribution<double> weight(-1, 1);
  for (const auto& c : cases) {
    for (const std::size_t n : {c.taps, std::size_t{1500}}) {
      std::vector<std::int16_t> samples(n);
      for (auto& x : samples)
        x = static_cast<std::int16_t>(static_cast<int>(bits()) >> (32 - c.bits));
      std::vector<double> taps(c.taps);
      for (double& h : taps) h = weight(bits);
      constexpr std::int64_t first = 1000;
      const auto found =
          downconverted(samples, first, taps, c.subsampling, turn_per_sample(0.21, 1));
      ASSERT_EQ(found.size(), (n - c.taps + c.subsampling) / c.subsampling);
      for (std::size_t j = 0; j < found.size(); ++j) {
        std::complex<long double> sum = 0;
        for (std::size_t a = 0; a < c.taps; ++a) {
          const std::size_t i = c.subsampling * j + a;
          const long double turns = std::fmod(0.21L * static_cast<long double>(first + i), 1.0L);
          sum += static_cast<long double>(samples[i] * taps[a]) *
                 std::polar(1.0L, -2 * std::numbers::pi_v<long double> * turns);
        }
        EXPECT_NEAR(std::abs(found[j] - complex(sum)), 0, 1e-9 * std::ldexp(1.0, c.bits));
      }
    }
  }
  EXPECT_TRUE(downconverted({}, 0, std::vector<double>(4), 2, 0).empty());
}

}  // namespace
