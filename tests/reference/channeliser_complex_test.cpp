// SPDX-License-Identifier: Apache-2.0
// Complex samples in the reference channeliser: against the formula in long double, where tones
// land, delays, and the levels of both parts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/channeliser_check.hpp"  // phasor, small_spec
#include "support/refusal.hpp"              // refusal

namespace {

using namespace wingbeat::test;
using namespace wingbeat;
using namespace wingbeat::channelising;
using ::testing::HasSubstr;
using wingbeat::reference::channelise;
using complex = std::complex<double>;

channeliser_spec complex_spec(std::size_t taps = 16) {
  auto spec = small_spec(64);
  spec.complex_samples = true;
  spec.taps = taps;
  spec.output = heap_sample::fp32;
  return spec;
}

TEST(channeliser_complex, has_transforms_as_long_as_it_has_channels) {
  const auto sizes = sizes_of(complex_spec(4));
  EXPECT_EQ(sizes.transform, 64U);
  EXPECT_EQ(sizes.spectrum_samples, 64U);
  EXPECT_EQ(sizes.window_samples, 256U);
  EXPECT_EQ(sizes.heap_samples, 1024U);
  EXPECT_DOUBLE_EQ(channel_width_hz(complex_spec()), 1712e6 / 64);
  EXPECT_DOUBLE_EQ(channel_hz(complex_spec(), 0), -856e6);
  EXPECT_DOUBLE_EQ(channel_hz(complex_spec(), 32), 0);
}

TEST(channeliser_complex, follows_the_formula) {
  for (const std::size_t taps : {1, 3, 16}) {
    const auto spec = complex_spec(taps);
    const auto x = gaussian(2 * samples_for(spec, 2), 100, 1);
    const auto found = channelise(spec, {0, {x}});
    ASSERT_EQ(found.heaps.size(), 2U);
    EXPECT_EQ(found.heaps[1].timestamp, 1024);
    const auto w = filter_weights({64, taps});
    for (const std::size_t spectrum : {0, 15, 16, 31}) {
      for (const int k : {0, 1, 32, 63}) {
        std::complex<long double> sum = 0;
        for (std::size_t i = 0; i < w.size(); ++i) {
          const std::size_t offset = 2 * (spectrum * 64 + i);
          const long double turns = static_cast<long double>((k - 32) * static_cast<int>(i)) / 64;
          sum += static_cast<long double>(w[i]) *
                 std::complex<long double>(x[offset], x[offset + 1]) *
                 std::polar(1.0L, -2 * std::numbers::pi_v<long double> * turns);
        }
        const auto place = place_of(spec, static_cast<std::size_t>(k), spectrum % 16);
        EXPECT_NEAR(std::abs(found.heaps[spectrum / 16].spectra[place] - complex(sum)), 0, 1e-10);
      }
    }
  }
}

TEST(channeliser_complex, delays_by_the_models) {
  // Relative to the middle of the band, a tone at the offset f has a phase of -2 pi f d more.
  auto spec = complex_spec();
  const std::size_t n = samples_for(spec, 4);
  for (const int k : {32, 5, 60}) {
    const double offset = (k - 32) / 64.0;
    const auto x = phasor(n, 500, offset, 0.2);
    for (const double d : {-0.4, 3.7, 12.0, 777.5, -38.25}) {
      spec.delays = {{{0, d, 0, 0.6, 0}}};
      const auto found = channelise(spec, {0, {x}});
      ASSERT_GE(found.heaps.size(), 2U);
      for (const auto& heap : found.heaps) {
        for (std::size_t s = 0; s < 16; ++s) {
          const auto value = heap.spectra[place_of(spec, static_cast<std::size_t>(k), s)];
          EXPECT_NEAR(std::abs(value) / (500 * coherent_gain(spec)), 1, 2e-3);
          EXPECT_LT(angle_between(value, std::polar(1.0, 0.6 + 2 * pi * (0.2 - offset * d))), 2e-3)
              << k << " " << d;
        }
      }
    }
  }
}

TEST(channeliser_complex, counts_both_parts) {
  const auto spec = complex_spec(1);
  const std::size_t n = samples_for(spec, 1);
  samples x(2 * n);
  for (std::size_t i = 0; i < n; ++i) {
    x[2 * i] = 3;
    x[2 * i + 1] = -4;
  }
  reference::recording input{.samples = {x}, .packet_samples = 100};
  input.present = {std::vector<bool>((n + 99) / 100, true)};
  input.present[0][2] = false;
  const auto level = channelise(spec, input).levels[0];
  EXPECT_EQ(level.n_samples, n - 100);
  EXPECT_EQ(level.sum_of_squares, 25 * (n - 100));
  EXPECT_EQ(level.histogram[512 + 3], n - 100);
  EXPECT_EQ(level.histogram[512 - 4], n - 100);
  EXPECT_NEAR(level.dbfs(), 20 * std::log10(5.0 / 511), 1e-9);
}

TEST(channeliser_complex, refuses_halves_and_narrow_bands) {
  auto spec = complex_spec();
  EXPECT_THAT(refusal([&] {
                (void)channelise(spec, {0, {samples(5001)}});
              }),
              HasSubstr("5001 integers; give equally many, 2 for a sample"));
  spec.narrowband = {.centre_hz = 400e6, .decimation = 4};
  EXPECT_THAT(refusal([&] { (void)sizes_of(spec); }),
              HasSubstr("complex_samples and narrowband are both given; leave out one"));
}

}  // namespace
