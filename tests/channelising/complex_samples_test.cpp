// SPDX-License-Identifier: Apache-2.0
// Label: opencl
// Timeout: 300
// Complex samples on every engine: against the reference in double precision, and where tones land,
// with which phase.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "channelising/engine_check.hpp"    // channeliser_on, noise_of
#include "reference/channeliser_check.hpp"  // phasor, small_spec, stored_value
#include "support/refusal.hpp"              // refusal
#include "wingbeat/wingbeat.hpp"

namespace {

using namespace wingbeat;
using namespace wingbeat::test;
using ::testing::HasSubstr;

using complex_samples_on = channeliser_on;

channeliser_spec complex_spec(std::size_t channels) {
  channeliser_spec spec = small_spec(channels);
  spec.complex_samples = true;
  spec.sample_bits = 8;
  spec.output = heap_sample::fp32;
  return spec;
}

TEST_P(complex_samples_on, put_tones_into_their_channels) {
  const channeliser_spec spec = complex_spec(64);
  for (const int k : {0, 1, 20, 32, 33, 50, 63}) {
    SCOPED_TRACE(k);
    const double frequency = (k - 32) / 64.0, turns = 0.15;
    const outcome got =
        run(spec, {0, {phasor(samples_for(spec, 1), 100, frequency, turns)}}, {500, 3});
    ASSERT_EQ(got.heaps.size(), 1U);
    const reference::heap heap{.bytes = got.heaps[0].bytes};
    for (std::size_t s = 0; s < 16; ++s) {
      for (std::size_t c = 0; c < 64; ++c) {
        const auto value =
            stored_value(spec, heap, place_of(spec, c, s)) / (100 * coherent_gain(spec));
        if (c != static_cast<std::size_t>(k)) {
          ASSERT_LT(std::abs(value), 3e-3) << c;  // of rounding the tone
          continue;
        }
        EXPECT_NEAR(std::abs(value), 1, 3e-3);
        EXPECT_NEAR(std::arg(value), 2 * pi * turns, 3e-3);
      }
    }
  }
}

TEST_P(complex_samples_on, agree_with_the_reference) {
  channeliser_spec spec = complex_spec(64);
  spec.polarisations = 2;
  spec.output = heap_sample::int8;
  spec.delays = {{{.delay_samples = 300.3, .rate = 1e-4, .phase_rad = 1, .phase_rate = 1e-3}},
                 {{.delay_samples = -12.25}}};
  check(spec, noise_of(spec, 3, 100, 30), {1000, 1, 4097, 7});
}

TEST_P(complex_samples_on, make_a_heap_in_part) {
  channeliser_spec spec = complex_spec(64);
  spec.taps = 2;
  const auto input = noise_of(spec, 1, 5 * 64 + 3, 30);
  channeliser bank{*on, spec, 0};
  std::vector<channelised_heap> heaps;
  const auto keep = [&](const channelised_heap& heap) { heaps.push_back(heap); };
  bank.push(*on, {.integers = {input.samples[0]}, .count = input.samples[0].size() / 2}, keep);
  bank.flush(*on, keep);
  ASSERT_EQ(heaps.size(), 2U);
  EXPECT_EQ(heaps[0].n_spectra, 16U);
  EXPECT_EQ(heaps[1].n_spectra, 5U);
  // Time goes on behind a gap: the first heap there begins at a multiple of a heap's samples.
  bank.jump(10'001);
  bank.push(*on, {.integers = {input.samples[0]}, .count = input.samples[0].size() / 2}, keep);
  bank.finish(keep);
  ASSERT_EQ(heaps.size(), 3U);
  EXPECT_EQ(heaps[2].timestamp, 10'240);
}

TEST_P(complex_samples_on, have_the_level_of_both_parts) {
  channeliser_spec spec = complex_spec(64);
  const std::size_t n = 5000;
  channeliser bank{*on, spec, 0};
  const samples full = phasor(n, 127, 0.1);
  bank.push(*on, {.integers = {full}, .count = n}, {});
  const input_level& level = bank.levels()[0];
  EXPECT_EQ(level.n_samples, n);
  std::uint64_t n_values = 0;
  for (const std::uint64_t count : level.histogram) n_values += count;
  EXPECT_EQ(n_values, 2 * n);
  EXPECT_NEAR(level.dbfs(), 0, 0.02) << "a phasor of full scale";
}

TEST_P(complex_samples_on, are_refused_in_other_counts) {
  channeliser bank{*on, complex_spec(64), 0};
  const std::vector<std::int16_t> few(10), odd(11), large{0, 0, 0, 200};
  const std::vector<std::byte> bytes(10);
  const auto message = [&](const channeliser::samples& next) {
    return refusal([&] { bank.push(*on, next, {}); });
  };
  EXPECT_THAT(message({.integers = {few}, .count = 10}),
              HasSubstr("polarisation 0 has 10 parts of samples; give 10 samples, of two parts"));
  EXPECT_THAT(message({.integers = {odd}, .count = 5}), HasSubstr("has 11 parts"));
  EXPECT_THAT(message({.packed = {bytes}, .count = 6}),
              HasSubstr("has 10 bytes, which hold 5 complex samples; give 6"));
  EXPECT_THAT(message({.integers = {large}, .count = 2}),
              HasSubstr("sample 1 of polarisation 0 is 200"));
  EXPECT_EQ(bank.levels()[0].n_samples, 0U);
}

INSTANTIATE_TEST_SUITE_P(engines, complex_samples_on, all_engines(), engine_name);

}  // namespace
