// SPDX-License-Identifier: Apache-2.0
// Narrowbands of the reference channeliser: where tones land, the level of noise, delays, and the
// time series that a plain DFT lets one rebuild.
#include <gtest/gtest.h>

#include "channelising/arithmetic/narrowband.hpp"  // downconverted
#include "reference/channeliser_check.hpp"

namespace {

using namespace wingbeat::test;
using namespace wingbeat;
using namespace wingbeat::channelising;
using wingbeat::reference::channelise;
using complex = std::complex<double>;

/// A band of 1/8 of the ADC's about 5/16 of its rate, every channel kept or the edges discarded.
channeliser_spec band(bool keeps_all) {
  auto spec = small_spec(64);
  spec.output = heap_sample::fp32;
  spec.narrowband = narrowband_spec{.centre_hz = 1712e6 * 5 / 16, .decimation = 8};
  if (keeps_all) spec.narrowband->pass_bandwidth_hz = 64e6;
  return spec;
}

TEST(channeliser_narrowband, has_its_centre_in_the_middle_channel) {
  for (const bool keeps_all : {false, true}) {
    auto spec = band(keeps_all);
    EXPECT_EQ(sizes_of(spec).transform, keeps_all ? 64u : 128u);
    EXPECT_EQ(sizes_of(spec).subsampling, keeps_all ? 16u : 8u);
    EXPECT_EQ(sizes_of(spec).spectrum_samples, 1024u);
    for (const int k : {32, 33, 20, 50}) {
      // Channels are 1/1024 of the ADC's rate wide in both.
      const double f = 5.0 / 16 + (k - 32) / 1024.0;
      const auto found = channelise(spec, {0, {tone(samples_for(spec, 1), 500, f)}});
      ASSERT_EQ(found.heaps.size(), 1u);
      const double expected =
          250 * coherent_gain(spec) * std::sqrt(static_cast<double>(sizes_of(spec).subsampling));
      for (std::size_t c = 0; c < 64; ++c) {
        const double magnitude = std::abs(found.heaps[0].spectra[place_of(spec, c, 5)]);
        if (c == static_cast<std::size_t>(k)) {
          EXPECT_NEAR(magnitude / expected, 1, 2e-3) << k;
        } else {
          EXPECT_LT(magnitude / expected, 1e-3) << k << " in " << c;
        }
      }
    }
  }
}

TEST(channeliser_narrowband, keeps_the_level_of_noise_and_excludes_other_bands) {
  for (const bool keeps_all : {false, true}) {
    const auto spec = band(keeps_all);
    const std::size_t n = samples_for(spec, 4);
    const auto noise = channelise(spec, {0, {gaussian(n, 40, 8)}});
    double squares = 0;
    std::size_t count = 0;
    for (const auto& heap : noise.heaps) {
      for (std::size_t k = 16; k < 48; ++k) {
        for (std::size_t s = 0; s < 16; ++s, ++count) {
          squares += std::norm(heap.spectra[place_of(spec, k, s)]);
        }
      }
    }
    EXPECT_NEAR(std::sqrt(squares / static_cast<double>(count)), 40, 1);
    const auto outside = channelise(spec, {0, {tone(n, 500, 0.10371)}});
    // What is left is the noise of rounding, of rms 0.29.
    for (const auto& z : outside.heaps[0].spectra) EXPECT_LT(std::abs(z), 3);
  }
}

TEST(channeliser_narrowband, delays_by_the_models) {
  // A tone at the frequency f that is delayed by d comes later by it: relative to the centre c its
  // phase is less by 2 pi (f - c) d, and at the centre the model's phase is all.
  for (const bool keeps_all : {false, true}) {
    auto spec = band(keeps_all);
    const std::size_t n = samples_for(spec, 3);
    for (const int k : {32, 25, 40}) {
      const double offset = (k - 32) / 1024.0;
      const auto x = tone(n, 500, 5.0 / 16 + offset);
      spec.delays.clear();
      const auto plain = channelise(spec, {0, {x}});
      for (const double d : {-0.4, 3.7, 12.0, 777.5, -38.25}) {
        spec.delays = {{{0, d, 0, 0.6, 0}}};
        const auto found = channelise(spec, {0, {x}});
        ASSERT_GE(found.heaps.size(), 2u);
        for (const auto& heap : found.heaps) {
          for (std::size_t s = 0; s < 16; ++s) {
            const auto place = place_of(spec, static_cast<std::size_t>(k), s);
            // A tone in a channel's centre has the same phase in every spectrum.
            const complex expected =
                plain.heaps[0].spectra[place] * std::polar(1.0, 0.6 - 2 * pi * offset * d);
            EXPECT_LT(angle_between(heap.spectra[place], expected), 2e-3) << k << " " << d;
          }
        }
      }
    }
  }
}

TEST(channeliser_narrowband, is_a_plain_dft_for_vlbi) {
  auto spec = band(true);
  spec.taps = 1;
  spec.window = filter_window::rectangular;
  spec.weight_cutoff = 0;
  const auto sizes = sizes_of(spec);
  const auto x = gaussian(samples_for(spec, 2), 40, 3);
  const auto found = channelise(spec, {0, {x}});
  const auto taps = filter_taps({sizes.filter_taps, sizes.subsampling, pass_edge(spec)});
  const auto series = downconverted(x, 0, taps, sizes.subsampling,
                                    turn_per_sample(spec.narrowband->centre_hz, spec.adc_rate_hz));
  ASSERT_EQ(found.heaps.size(), 2u);
  for (std::size_t s = 0; s < 32; ++s) {
    for (const std::size_t j : {0, 1, 40, 63}) {
      complex sum = 0;
      for (int k = 0; k < 64; ++k) {
        sum += found.heaps[s / 16].spectra[place_of(spec, static_cast<std::size_t>(k), s % 16)] *
               std::polar(1.0, 2 * pi * (k - 32) * static_cast<int>(j) / 64);
      }
      EXPECT_LT(std::abs(sum / 8.0 - series[s * 64 + j]), 1e-9) << "1/sqrt(64) each way";
    }
  }
}

}  // namespace
