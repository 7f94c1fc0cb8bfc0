// SPDX-License-Identifier: Apache-2.0
// Label: opencl
// Timeout: 300
// The channeliser on every engine against the reference in double precision.
#include "wingbeat/channeliser.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "channelising/engine_check.hpp"    // channeliser_on, noise_of
#include "channelising/spec.hpp"            // has_dither
#include "reference/channeliser_check.hpp"  // small_spec, stored_value
#include "support/refusal.hpp"              // refusal
#include "wingbeat/wingbeat.hpp"

namespace {

using namespace wingbeat;
using namespace wingbeat::test;
using ::testing::HasSubstr;

TEST_P(channeliser_on, agrees_with_the_reference) {
  channeliser_spec spec = small_spec(64);
  spec.polarisations = 2;
  check(spec, noise_of(spec, 3, 100, 30), {1000, 1, 4097, 7});
}

TEST_P(channeliser_on, follows_delays_phases_and_gains) {
  channeliser_spec spec = small_spec(128);
  spec.polarisations = 2;
  spec.delays = {{{.delay_samples = 300.3, .rate = 1e-4, .phase_rad = 1, .phase_rate = 1e-3},
                  {.start_samples = 6000, .delay_samples = -70.6, .phase_rad = -2}},
                 {{.delay_samples = -12.25}}};
  std::vector<std::complex<float>> slope(128);
  for (std::size_t k = 0; k < 128; ++k) {
    slope[k] = std::polar(1.0F, 0.05F * static_cast<float>(k));
  }
  spec.gains = {{.start_samples = 5000, .gains = {slope, {{0, 2}}}}};
  check(spec, noise_of(spec, 4, 1000, 20, 12345), {5000, 333});
}

TEST_P(channeliser_on, makes_narrow_bands) {
  channeliser_spec spec = small_spec(64);
  spec.output = heap_sample::fp32;
  spec.polarisations = 2;
  spec.delays = {{{.delay_samples = 33.3, .phase_rad = 1}}, {{.delay_samples = -50}}};
  spec.narrowband = {.centre_hz = 400e6, .decimation = 4};
  check(spec, noise_of(spec, 2, 500, 40, 1001), {4000, 9});
  spec.narrowband->pass_bandwidth_hz = 150e6;
  check(spec, noise_of(spec, 2, 500, 40));
}

TEST_P(channeliser_on, withholds_or_fills_what_misses_samples) {
  channeliser_spec spec = small_spec(64);
  spec.polarisations = 2;
  reference::recording input = noise_of(spec, 6, 0, 30);
  input.packet_samples = 256;
  const std::size_t n_packets = (input.samples[0].size() + 255) / 256;
  input.present.assign(2, std::vector<bool>(n_packets, true));
  input.present[0][14] = input.present[0][15] = input.present[1][30] = false;
  for (const missing_policy missing : {missing_policy::withhold, missing_policy::zero_fill}) {
    spec.missing = missing;
    check(spec, input, {1024, 256});
  }
}

TEST_P(channeliser_on, makes_many_channels) {
  channeliser_spec spec = small_spec(32768);
  spec.output = heap_sample::fp32;
  spec.taps = 2;
  check(spec, noise_of(spec, 1, 0, 30), {100000});
  if (leaves_out()) return;
  spec.complex_samples = true;
  check(spec, noise_of(spec, 1, 0, 30), {100000});
  spec.channels = 65536;
  spec.taps = 1;
  check(spec, noise_of(spec, 1, 0, 30));
}

TEST_P(channeliser_on, takes_timestamps_near_2_to_the_47) {
  channeliser_spec spec = small_spec(64);
  const std::int64_t start = (std::int64_t{1} << 47) - 5000;
  spec.delays = {
      {{.start_samples = start, .delay_samples = 0.3, .rate = 1e-5, .phase_rate = 1e-4}}};
  const auto input = noise_of(spec, 5, 77, 30, start);
  check(spec, input, {999});
  const outcome got = run(spec, input, {999});
  ASSERT_GE(got.heaps.size(), 3U);
  EXPECT_LT(got.heaps.front().heap.timestamp, std::int64_t{1} << 47);
  EXPECT_GE(got.heaps.back().heap.timestamp, std::int64_t{1} << 47);
}

TEST_P(channeliser_on, makes_zeros_of_nothing_but_missing_samples) {
  channeliser_spec spec = small_spec(64);
  auto input = noise_of(spec, 3, 0, 30);
  input.packet_samples = 100;
  input.present = {std::vector<bool>((input.samples[0].size() + 99) / 100)};
  EXPECT_EQ(run(spec, input, {1000}).counts.withheld, 3U);
  spec.missing = missing_policy::zero_fill;
  const outcome filled = run(spec, input, {1000});
  ASSERT_EQ(filled.heaps.size(), 3U);
  EXPECT_TRUE(filled.heaps[0].bytes == std::vector<std::byte>(filled.heaps[0].bytes.size()));
  EXPECT_EQ(filled.levels[0].n_samples, 0U);
}

TEST_P(channeliser_on, saturates_a_loud_tone) {
  channeliser_spec spec = small_spec(64);
  spec.gains = {{.gains = {{{-100, 100}}}}};
  const outcome got = run(
      spec, {.first_sample = 0, .samples = {tone(samples_for(spec, 2), 511, 0.125)}}, {100'000});
  ASSERT_EQ(got.heaps.size(), 2U);
  EXPECT_GE(got.heaps[0].heap.saturated[0], 16U);
  int least = 0;
  for (const std::byte each : got.heaps[0].bytes) {
    least = std::min(least, int{static_cast<std::int8_t>(each)});
  }
  EXPECT_EQ(least, -127);
}

TEST_P(channeliser_on, changes_models_while_it_runs) {
  channeliser_spec spec = small_spec(64);
  channeliser bank{*on, spec, 0};
  const auto input = noise_of(spec, 4, 0, 30);
  const std::size_t half = samples_for(spec, 2);
  std::vector<std::byte> late;
  const auto keep = [&](const channelised_heap& heap) {
    late.assign(heap.bytes.begin(), heap.bytes.end());
  };
  bank.push(*on, {.integers = {std::span(input.samples[0]).first(half)}, .count = half}, keep);
  const std::int64_t steady = bank.add_gains({.start_samples = 0, .gains = {{{3, 0}}}});
  EXPECT_EQ(steady, 2 * static_cast<std::int64_t>(bank.sizes().heap_samples));
  EXPECT_EQ(bank.add_delay(0, {.start_samples = 9999999, .delay_samples = 1}), 9999999);
  const std::size_t rest = input.samples[0].size() - half;
  bank.push(*on, {.integers = {std::span(input.samples[0]).subspan(half)}, .count = rest}, keep);
  bank.finish(keep);
  EXPECT_EQ(bank.counts().sent, 4U);
  channeliser_spec whole = spec;
  whole.gains = {{.start_samples = 0, .gains = {{{3, 0}}}}};
  EXPECT_EQ(run(whole, input, {half}).heaps.back().bytes, late);
  EXPECT_THAT(refusal([&] { bank.add_delay(1, {}); }), HasSubstr("polarisation 1"));
  EXPECT_THAT(refusal([&] { bank.add_gains({.gains = {}}); }), HasSubstr("gains"));
}

TEST_P(channeliser_on, hands_on_the_whole_spectra_of_the_last_heap) {
  for (const bool is_narrow : cases<bool>({false}, {true})) {
    channeliser_spec spec = small_spec(64);
    spec.polarisations = 2;
    spec.dither = dither_kind::uniform;
    spec.delays = {{{.delay_samples = -40.3}}, {{.delay_samples = -3, .rate = 1e-4}}};
    spec.gains = {{.gains = {{{400, 0}}, {{1, 0}}}}};  // the first polarisation saturates
    if (is_narrow) spec.narrowband = {.centre_hz = 400e6, .decimation = 4};
    const std::size_t hop = sizes_of(spec).spectrum_samples;
    // With zeros behind its end, the reference finishes the last heap.
    reference::recording input = noise_of(spec, 2, 5 * hop + 99, 60), longer = input;
    for (auto& samples : longer.samples) samples.resize(samples.size() + 16 * hop);
    const auto expected = reference::channelise(spec, longer);
    ASSERT_EQ(expected.heaps.size(), 3U);
    channeliser bank{*on, spec, 0};
    std::vector<held_heap> heaps;
    const auto keep = [&](const channelised_heap& heap) {
      heaps.push_back({heap, {heap.bytes.begin(), heap.bytes.end()}});
    };
    bank.push(*on,
              {.integers = {input.samples[0], input.samples[1]}, .count = input.samples[0].size()},
              keep);
    bank.flush(*on, keep);
    EXPECT_EQ(bank.counts().sent, 3U);
    ASSERT_EQ(heaps.size(), 3U);
    EXPECT_EQ(heaps[1].heap.n_spectra, 16U);
    EXPECT_EQ(heaps[2].heap.timestamp, expected.heaps[2].timestamp);
    ASSERT_EQ(heaps[2].heap.n_spectra, 5U);
    const reference::heap held{.bytes = heaps[2].bytes};
    std::size_t n_other = 0, n_filled = 0;
    for (std::size_t i = 0; i < expected.heaps[2].spectra.size(); ++i) {
      const auto value = stored_value(spec, held, i);
      if (i / 2 % 16 >= 5) {
        n_filled += value != 0.0 ? 1 : 0;
        continue;
      }
      const auto difference = value - stored_value(spec, expected.heaps[2], i);
      n_other += difference != 0.0 ? 1 : 0;
      ASSERT_LE(std::abs(difference), 1.5);
    }
    EXPECT_LE(n_other, 3U);
    EXPECT_EQ(n_filled, 0U);
    EXPECT_GT(heaps[2].heap.saturated[0], 100U);
    EXPECT_LE(heaps[2].heap.saturated[0], 5U * 64U);
    // The stream may go on.
    const samples more(16 * hop);
    bank.push(*on, {.integers = {more, more}, .count = more.size()}, keep);
    bank.finish(keep);
    ASSERT_EQ(heaps.size(), 4U);
    EXPECT_EQ(heaps[3].heap.timestamp, expected.heaps[2].timestamp);
    EXPECT_EQ(heaps[3].heap.n_spectra, 16U);
  }
}

TEST_P(channeliser_on, refuses_samples_of_other_counts) {
  channeliser bank{*on, small_spec(64), 0};
  const std::vector<std::int16_t> few(10), large(10, 600);
  const auto message = [&](const channeliser::samples& next) {
    return refusal([&] { bank.push(*on, next, {}); });
  };
  EXPECT_THAT(message({.integers = {few, few}, .count = 10}), HasSubstr("give 1 of one"));
  EXPECT_THAT(message({.integers = {few}, .count = 11}), HasSubstr("has 10 samples; give 11"));
  EXPECT_THAT(message({.integers = {large}, .count = 10}), HasSubstr("sample 0 of polarisation 0"));
  EXPECT_THAT(message({.integers = {few}, .count = 10, .present = {{}}}), HasSubstr("have flags"));
  EXPECT_THAT(message({.count = 8192, .present = {{false, true}}}),
              HasSubstr("packet 1 of polarisation 0 is flagged as present, and neither"));
  EXPECT_EQ(bank.levels()[0].n_samples, 0U);
}

INSTANTIATE_TEST_SUITE_P(engines, channeliser_on, all_engines(), engine_name);

}  // namespace
