// SPDX-License-Identifier: Apache-2.0
// Label: opencl
// Timeout: 600
// Counts of channels that are no powers of two, odd ones too, on every engine against the reference
// in double precision.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "channelising/engine_check.hpp"    // channeliser_on, noise_of
#include "reference/channeliser_check.hpp"  // phasor, small_spec, stored_value, tone
#include "wingbeat/wingbeat.hpp"

namespace {

using namespace wingbeat;
using namespace wingbeat::test;

using channel_counts_on = channeliser_on;

/// Delays and gains of all channels; delays turn each channel by another phase.
void add_models(channeliser_spec& spec) {
  spec.delays = {{{.delay_samples = 30.3, .rate = 1e-4, .phase_rad = 1, .phase_rate = 1e-4}}};
  std::vector<std::complex<float>> slope(spec.channels);
  for (std::size_t k = 0; k < slope.size(); ++k) {
    slope[k] = std::polar(1.0F, 0.05F * static_cast<float>(k));
  }
  spec.gains = {{.start_samples = 100, .gains = {slope}}};
  if (spec.polarisations == 1) return;
  spec.delays.push_back({{.delay_samples = -12.25}});
  spec.gains[0].gains.push_back({{0, 1.5}});
}

TEST_P(channel_counts_on, agree_with_the_reference) {
  for (const bool is_complex : {false, true}) {
    channeliser_spec spec = small_spec(15);
    spec.polarisations = 2;
    spec.output = heap_sample::fp32;
    spec.complex_samples = is_complex;
    add_models(spec);
    check(spec, noise_of(spec, 2, 100, 30, 77), {1000, 1, 4097, 7});
  }
}

TEST_P(channel_counts_on, may_be_thousands) {
  for (const std::size_t channels : cases<std::size_t>({3000}, {6000, 28561})) {
    SCOPED_TRACE(channels);
    channeliser_spec spec = small_spec(channels);
    spec.taps = 3;
    spec.output = heap_sample::fp32;
    add_models(spec);
    check(spec, noise_of(spec, 2, 100, 30), {100000});
  }
}

// The middle channel of an odd count lies at 0 Hz of complex samples.
TEST_P(channel_counts_on, have_tones_where_channels_are) {
  for (const bool is_complex : cases<bool>({true}, {false})) {
    channeliser_spec spec = small_spec(45);
    spec.complex_samples = is_complex;
    spec.output = heap_sample::fp32;
    const double first = is_complex ? -22 : 0, n = is_complex ? 45 : 90;
    for (const std::size_t k : {1U, 22U, 44U}) {
      SCOPED_TRACE(k);
      const double frequency = (first + static_cast<double>(k)) / n;
      const std::size_t length = samples_for(spec, 1);
      const auto input = is_complex ? phasor(length, 400, frequency) : tone(length, 400, frequency);
      const outcome got = run(spec, {0, {input}}, {500, 3});
      ASSERT_EQ(got.heaps.size(), 1U);
      const reference::heap heap{.bytes = got.heaps[0].bytes};
      const double full = (is_complex ? 400 : 200) * coherent_gain(spec);
      for (std::size_t c = 0; c < 45; ++c) {
        const double magnitude = std::abs(stored_value(spec, heap, place_of(spec, c, 3))) / full;
        EXPECT_NEAR(magnitude, c == k ? 1 : 0, 3e-3) << c;
      }
    }
  }
}

TEST_P(channel_counts_on, make_a_heap_in_part) {
  channeliser_spec spec = small_spec(15);
  spec.taps = 2;
  const auto input = noise_of(spec, 1, 5 * 30 + 3, 30);
  channeliser bank{*on, spec, 0};
  std::vector<std::size_t> spectra;
  const auto keep = [&](const channelised_heap& heap) { spectra.push_back(heap.n_spectra); };
  bank.push(*on, {.integers = {input.samples[0]}, .count = input.samples[0].size()}, keep);
  bank.flush(*on, keep);
  EXPECT_THAT(spectra, ::testing::ElementsAre(16, 5));
}

INSTANTIATE_TEST_SUITE_P(engines, channel_counts_on, all_engines(), engine_name);

}  // namespace
