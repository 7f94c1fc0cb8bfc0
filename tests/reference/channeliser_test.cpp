// SPDX-License-Identifier: Apache-2.0
// The reference channeliser against its formulas in long double, and against what tones and noise
// are known to give.
#include "reference/channeliser.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>  // clamp, max
#include <limits>

#include "channelising/arithmetic/dither.hpp"  // dither_at
#include "reference/channeliser_check.hpp"
#include "support/refusal.hpp"  // refusal

namespace {

using namespace wingbeat::test;
using namespace wingbeat;
using namespace wingbeat::channelising;
using ::testing::HasSubstr;
using namespace wingbeat::reference;
using complex = std::complex<double>;

TEST(channeliser, follows_the_formula) {
  for (const std::size_t taps : {1, 3, 16}) {
    auto spec = small_spec(64);
    spec.taps = taps;
    const auto x = gaussian(samples_for(spec, 2), 100, 1);
    const auto found = channelise(spec, {0, {x}});
    ASSERT_EQ(found.heaps.size(), 2u);
    const auto w = filter_weights({128, taps});
    for (const std::size_t spectrum : {0, 15, 16, 31}) {
      for (const std::size_t k : {0, 1, 31, 63}) {
        std::complex<long double> sum = 0;
        for (std::size_t i = 0; i < w.size(); ++i) {
          const long double turns = static_cast<long double>(i % 128 * k % 128) / 128;
          sum += static_cast<long double>(w[i]) * x[spectrum * 128 + i] *
                 std::polar(1.0L, -2 * std::numbers::pi_v<long double> * turns);
        }
        // The centre of the band turns by a quarter a sample, so by whole turns a spectrum.
        const auto& heap = found.heaps[spectrum / 16];
        EXPECT_NEAR(std::abs(heap.spectra[place_of(spec, k, spectrum % 16)] - complex(sum)), 0,
                    1e-10);
      }
    }
    EXPECT_EQ(found.heaps[1].timestamp, 2048);
  }
}

TEST(channeliser, gives_a_tone_its_magnitude_and_noise_its_rms) {
  auto spec = small_spec(1024);
  spec.output = heap_sample::fp32;
  spec.dither = {};
  spec.polarisations = 2;
  const std::size_t n = samples_for(spec, 2);
  const auto found = channelise(spec, {0, {tone(n, 400, 192.0 / 2048, 0.125), gaussian(n, 40, 7)}});
  double squares = 0;
  std::size_t count = 0;
  for (const auto& heap : found.heaps) {
    for (std::size_t s = 0; s < 16; ++s) {
      const complex peak = stored_value(spec, heap, place_of(spec, 192, s, 0));
      EXPECT_NEAR(std::abs(peak) / (200 * coherent_gain(spec)), 1, 5e-4);
      EXPECT_NEAR(std::arg(peak), pi / 4, 1e-3);
      EXPECT_LT(std::abs(stored_value(spec, heap, place_of(spec, 500, s, 0))), 2);
      for (std::size_t k = 1; k < 1024; ++k) {
        squares += std::norm(stored_value(spec, heap, place_of(spec, k, s, 1)));
        ++count;
      }
    }
  }
  EXPECT_NEAR(std::sqrt(squares / static_cast<double>(count)), 40, 0.4);
}

TEST(channeliser, keeps_leakage_below_the_neighbours) {
  auto spec = small_spec(64);
  spec.gains = {{0, {{100.0f / 2900}}}};
  const double limit = std::pow(10, -53.0 / 20);
  for (int i = 0; i < 128; ++i) {
    const double offset = (i - 63.5) / 128;
    const double frequency = (24 + offset) / 128;
    const auto found = channelise(spec, {0, {tone(samples_for(spec, 1), 500, frequency, 0.1)}});
    ASSERT_EQ(found.heaps.size(), 1u);
    const auto& values = found.heaps[0].spectra;
    double peak = 0;
    for (std::size_t s = 0; s < 16; ++s) peak = std::max(peak, std::abs(values[24 * 16 + s]));
    const std::size_t neighbour = offset < 0 ? 23 : 25;
    for (std::size_t k = 0; k < 64; ++k) {
      if (k == 24 || k == neighbour) continue;
      for (std::size_t s = 0; s < 16; ++s) {
        EXPECT_LE(std::abs(values[k * 16 + s]), limit * peak) << offset << " channel " << k;
      }
    }
  }
}

TEST(channeliser, stores_rounded_values_in_every_format) {
  for (const auto output : {heap_sample::int4, heap_sample::int8, heap_sample::int16,
                            heap_sample::fp16, heap_sample::fp32}) {
    auto spec = small_spec(64);
    spec.output = output;
    spec.polarisations = 2;
    spec.dither = {};
    spec.seed = is_integer(output) ? 0x123456789ABCDEF0 : 0;
    spec.gains = {{0, {{{0.05f, 0.02f}}, {0.1f}}}};
    const std::size_t n = samples_for(spec, 2);
    const auto found = channelise(spec, {0, {gaussian(n, 200, 1), gaussian(n, 30, 2)}});
    for (const auto& heap : found.heaps) {
      ASSERT_EQ(heap.bytes.size(), 64 * 16 * 2 * complex_bytes(output));
      std::vector<std::uint64_t> saturated(2);
      for (std::size_t i = 0; i < heap.spectra.size(); ++i) {
        const std::size_t p = i % 2, s = i / 2 % 16, k = i / 32;
        complex expected = heap.spectra[i];
        if (is_integer(output)) {
          expected += complex(dither_at(spec.seed, heap.timestamp + static_cast<int>(s) * 128,
                                        static_cast<unsigned>(k), 64, static_cast<unsigned>(p)));
          const double limit = limit_of(output);
          const complex limited{std::clamp(expected.real(), -limit, limit),
                                std::clamp(expected.imag(), -limit, limit)};
          saturated[p] += limited == expected ? 0 : 1;
          expected = {std::nearbyint(limited.real()), std::nearbyint(limited.imag())};
        }
        const double error = is_integer(output) ? 0 : std::abs(expected) / 2048;
        ASSERT_LE(std::abs(stored_value(spec, heap, i) - expected), error) << i;
      }
      EXPECT_EQ(heap.saturated, saturated);
      EXPECT_EQ(heap.saturated[0] > 0, output == heap_sample::int4);
    }
  }
}

TEST(channeliser, counts_one_saturation_for_a_complex_value) {
  auto spec = small_spec(64);
  // One channel, whose real and imaginary parts are both beyond the limit.
  const auto found = channelise(spec, {0, {tone(samples_for(spec, 3), 500, 0.25, 0.125)}});
  ASSERT_EQ(found.heaps.size(), 3u);
  for (const auto& heap : found.heaps) {
    EXPECT_EQ(heap.saturated, std::vector<std::uint64_t>{16});
    EXPECT_EQ(stored_value(spec, heap, place_of(spec, 32, 3)), complex(127, 127));
  }
  const auto opposite = channelise(spec, {0, {tone(samples_for(spec, 1), 500, 0.25, 0.625)}});
  EXPECT_EQ(stored_value(spec, opposite.heaps.at(0), place_of(spec, 32, 3)), complex(-127, -127));
}

TEST(channeliser, measures_its_input) {
  auto spec = small_spec(64);
  spec.polarisations = 2;
  const std::size_t n = samples_for(spec, 1) + 77;
  samples mixed(n, 0);
  mixed[5] = -512;
  mixed[n - 1] = 511;
  const auto constant = channelise(spec, {0, {samples(n, 200), mixed}});
  const auto& levels = constant.levels;
  ASSERT_EQ(levels.size(), 2u);
  EXPECT_EQ(levels[0].sum_of_squares, 40000 * n);
  EXPECT_NEAR(levels[0].dbfs(), -5.137518132774, 1e-12);
  EXPECT_EQ(levels[0].histogram[512 + 200], n);
  EXPECT_EQ(levels[1].sum_of_squares, 512u * 512 + 511 * 511);
  EXPECT_EQ(levels[1].histogram.size(), 1024u);
  EXPECT_EQ(levels[1].histogram[0], 1u);
  EXPECT_EQ(levels[1].histogram[1023], 1u);
  EXPECT_EQ(levels[1].histogram[512], n - 2);
  const auto silent = channelise(spec, {0, {samples(n), samples(n)}});
  EXPECT_EQ(silent.levels[0].dbfs(), std::numeric_limits<double>::lowest());
  EXPECT_EQ(silent.heaps.at(0).saturated, std::vector<std::uint64_t>(2));
}

TEST(channeliser, changes_gains_between_spectra) {
  auto spec = small_spec(64);
  const auto x = gaussian(samples_for(spec, 2), 10, 3);
  const auto plain = channelise(spec, {0, {x}});
  std::vector<std::complex<float>> ramp(64);
  for (std::size_t k = 0; k < 64; ++k) ramp[k] = {0.5f, static_cast<float>(k)};
  spec.gains = {{129, {{{0, 2}}}}, {2048 + 256, {ramp}}};
  const auto found = channelise(spec, {0, {x}});
  for (std::size_t s = 0; s < 32; ++s) {
    for (std::size_t k = 0; k < 64; ++k) {
      const complex gain = s < 2 ? 1 : s < 18 ? complex(0, 2) : complex(ramp[k]);
      const std::size_t offset = place_of(spec, k, s % 16);
      EXPECT_LT(std::abs(found.heaps[s / 16].spectra[offset] -
                         gain * plain.heaps[s / 16].spectra[offset]),
                1e-9);
    }
  }
}

TEST(channeliser, gives_the_same_bytes_wherever_a_recording_is_cut) {
  for (const bool is_narrow : {false, true}) {
    auto spec = small_spec(64);
    spec.dither = dither_kind::uniform;
    spec.delays = {{{0, 10.3, 1e-4, 0.3, 1e-5}, {9000, -7.2, -1e-4, 1, 0}}};
    if (is_narrow) spec.narrowband = {{.centre_hz = 300e6, .decimation = 4}};
    const auto x = gaussian(samples_for(spec, 6), 30, 4);
    const auto whole = channelise(spec, {0, {x}});
    const std::size_t cut = 2 * sizes_of(spec).heap_samples - 333;
    const auto late = channelise(
        spec, {static_cast<std::int64_t>(cut), {{x.begin() + static_cast<long>(cut), x.end()}}});
    ASSERT_GE(late.heaps.size(), 3u);
    std::size_t offset = 0;
    while (whole.heaps.at(offset).timestamp < late.heaps.front().timestamp) ++offset;
    for (const auto& heap : late.heaps) {
      EXPECT_EQ(heap.timestamp, whole.heaps.at(offset).timestamp);
      EXPECT_EQ(heap.bytes, whole.heaps.at(offset).bytes);
      ++offset;
    }
    EXPECT_EQ(offset, whole.heaps.size());
  }
}

TEST(channeliser, makes_the_fewest_and_the_most_channels) {
  auto spec = small_spec(65536);
  spec.taps = 1;
  const std::size_t n = samples_for(spec, 1);
  const auto wide = channelise(spec, {0, {tone(n, 500, 54321.0 / 131072)}});
  ASSERT_EQ(wide.heaps.size(), 1u);
  EXPECT_NEAR(std::abs(wide.heaps[0].spectra[place_of(spec, 54321, 15)]), 250 * coherent_gain(spec),
              10);
  EXPECT_EQ(channelise(spec, {0, {samples(n - 1)}}).heaps.size(), 0u);
  spec = small_spec(64);
  spec.spectra_per_heap = 0;
  EXPECT_EQ(sizes_of(spec).spectra_per_heap, 16384u);
}

TEST(channeliser, refuses_other_recordings) {
  const auto spec = small_spec(64);
  const auto why = [&](const recording& input) {
    return refusal([&] { static_cast<void>(channelise(spec, input)); });
  };
  EXPECT_THAT(why({0, {}}), HasSubstr("0 polarisations"));
  EXPECT_THAT(why({0, {{512}}}), HasSubstr("a sample is 512, which 10 bits do not hold"));
  EXPECT_THAT(why({0, {{0}}, 0}), HasSubstr("packets have 0 samples"));
  EXPECT_THAT(why({0, {{0, 1}}, 1, {{true}}}), HasSubstr("one for each of 2"));
}

}  // namespace
