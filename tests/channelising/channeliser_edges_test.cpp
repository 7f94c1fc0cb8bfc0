// SPDX-License-Identifier: Apache-2.0
// The edges of what a channeliser takes, on the engines of this process, against the reference:
// every width of samples, the fewest taps and channels and the most, cuts at every place, delays
// that jump by more than a chunk, timestamps near 2^47, nothing but missing samples, saturation.
#include <gtest/gtest.h>

#include "reference/channeliser_check.hpp"  // gaussian, small_spec, stored_value
#include "support/on_engine.hpp"            // engine_name
#include "wingbeat/wingbeat.hpp"

namespace {

using namespace wingbeat;
using namespace wingbeat::test;

class channeliser_edges : public ::testing::TestWithParam<engine> {
 protected:
  struct outcome {
    std::vector<reference::heap> heaps;
    heap_counts counts;
    std::vector<input_level> levels;
  };

  outcome run(const channeliser_spec& spec, const reference::recording& input, std::size_t piece,
              std::size_t kept_samples = std::size_t{1} << 20) {
    queue on{first_device(GetParam())};
    channeliser bank{on, spec, input.first_sample, kept_samples};
    outcome result;
    const auto take = [&](const channelised_heap& heap) {
      result.heaps.push_back({.timestamp = heap.timestamp,
                              .bytes = {heap.bytes.begin(), heap.bytes.end()},
                              .saturated = heap.saturated,
                              .is_complete = heap.is_complete});
    };
    const std::size_t length = input.samples[0].size(), packet = input.packet_samples;
    for (std::size_t first = 0; first < length; first += piece) {
      channeliser::samples next{.count = std::min(piece, length - first), .packet_samples = packet};
      for (std::size_t p = 0; p < spec.polarisations; ++p) {
        next.integers.push_back(std::span(input.samples[p]).subspan(first, next.count));
        if (input.present.empty()) continue;
        const auto begin = input.present[p].begin() + static_cast<std::ptrdiff_t>(first / packet);
        next.present.emplace_back(
            begin, begin + static_cast<std::ptrdiff_t>((next.count + packet - 1) / packet));
      }
      bank.push(on, next, take);
    }
    bank.finish(take);
    result.counts = bank.counts();
    result.levels = bank.levels();
    return result;
  }

  /// Compares with the reference; returns what was made.
  outcome check(const channeliser_spec& spec, const reference::recording& input,
                std::size_t piece = std::size_t{1} << 20) {
    const outcome got = run(spec, input, piece);
    const auto expected = reference::channelise(spec, input);
    EXPECT_EQ(got.heaps.size(), expected.heaps.size());
    EXPECT_EQ(got.counts.withheld, expected.withheld.size());
    EXPECT_EQ(got.counts.skipped, expected.n_skipped);
    EXPECT_EQ(got.levels[0].histogram, expected.levels[0].histogram);
    EXPECT_EQ(got.levels[0].sum_of_squares, expected.levels[0].sum_of_squares);
    if (got.heaps.size() != expected.heaps.size()) return got;
    for (std::size_t h = 0; h < got.heaps.size(); ++h) {
      EXPECT_EQ(got.heaps[h].timestamp, expected.heaps[h].timestamp);
      EXPECT_EQ(got.heaps[h].is_complete, expected.heaps[h].is_complete);
      std::size_t n_other = 0, n_far = 0;
      for (std::size_t i = 0; i < expected.heaps[h].spectra.size(); ++i) {
        const auto off =
            stored_value(spec, got.heaps[h], i) - stored_value(spec, expected.heaps[h], i);
        n_other += off != 0.0 ? 1 : 0;
        n_far += std::max(std::abs(off.real()), std::abs(off.imag())) > 1 ? 1 : 0;
      }
      EXPECT_EQ(n_far, 0U) << "heap " << h;
      EXPECT_LE(n_other, 2 + expected.heaps[h].spectra.size() / 500) << "heap " << h;
      for (std::size_t p = 0; p < spec.polarisations; ++p) {
        EXPECT_NEAR(static_cast<double>(got.heaps[h].saturated[p]),
                    static_cast<double>(expected.heaps[h].saturated[p]), 2);
      }
    }
    return got;
  }
};

reference::recording noise(const channeliser_spec& spec, std::size_t n_heaps, double rms,
                           std::int64_t first_sample = 0) {
  reference::recording input{.first_sample = first_sample, .samples = {}};
  const double limit = (1 << (spec.sample_bits - 1)) - 1;
  for (unsigned p = 0; p < spec.polarisations; ++p) {
    input.samples.push_back(gaussian(samples_for(spec, n_heaps) + 77, rms, 3 + p, limit));
  }
  return input;
}

TEST_P(channeliser_edges, every_width_and_one_tap) {
  for (const unsigned bits : {2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}) {
    SCOPED_TRACE(bits);
    channeliser_spec spec = small_spec(64);
    spec.sample_bits = bits;
    spec.taps = bits % 2 == 0 ? 1 : 64;
    spec.output = heap_sample::int16;
    check(spec, noise(spec, 2, (1 << bits) / 8.0), 1000);
  }
}

TEST_P(channeliser_edges, the_most_channels) {
  channeliser_spec spec = small_spec(65536);
  spec.taps = 1;
  check(spec, noise(spec, 1, 30));
}

TEST_P(channeliser_edges, cuts_at_every_place) {
  channeliser_spec spec = small_spec(64);
  spec.taps = 2;
  spec.dither = dither_kind::uniform;
  spec.delays = {{{.delay_samples = 3.3, .rate = 1e-3}}};
  const auto input = noise(spec, 2, 30);
  const outcome whole = check(spec, input);
  ASSERT_EQ(whole.heaps.size(), 1U);
  for (std::size_t piece = 1; piece < 300; piece += piece < 20 ? 1 : 37) {
    const outcome cut = run(spec, input, piece);
    ASSERT_EQ(cut.heaps.size(), whole.heaps.size());
    EXPECT_TRUE(cut.heaps[0].bytes == whole.heaps[0].bytes) << "pieces of " << piece;
  }
}

TEST_P(channeliser_edges, delays_that_jump_by_more_than_a_piece) {
  channeliser_spec spec = small_spec(64);
  spec.polarisations = 2;
  const auto heap = static_cast<std::int64_t>(sizes_of(spec).heap_samples);
  spec.delays = {{{.delay_samples = -0.4},
                  {.start_samples = 3 * heap + 200, .delay_samples = 3000.7},
                  {.start_samples = 7 * heap, .delay_samples = -4000.2}},
                 {{.delay_samples = 1.5}}};
  check(spec, noise(spec, 14, 30), 500);
}

TEST_P(channeliser_edges, timestamps_near_2_to_the_47) {
  channeliser_spec spec = small_spec(64);
  spec.dither = dither_kind::uniform;
  const std::int64_t start = (std::int64_t{1} << 47) - 5000;
  spec.delays = {
      {{.start_samples = start, .delay_samples = 0.3, .rate = 1e-5, .phase_rate = 1e-4}}};
  const outcome got = check(spec, noise(spec, 5, 30, start), 999);
  ASSERT_GE(got.heaps.size(), 3U);
  EXPECT_LT(got.heaps.front().timestamp, std::int64_t{1} << 47);
  EXPECT_GE(got.heaps.back().timestamp, std::int64_t{1} << 47);
}

TEST_P(channeliser_edges, nothing_but_missing_samples) {
  channeliser_spec spec = small_spec(64);
  spec.taps = 2;
  auto input = noise(spec, 3, 30);
  input.packet_samples = 100;
  input.present = {std::vector<bool>((input.samples[0].size() + 99) / 100)};
  EXPECT_EQ(check(spec, input, 1000).counts.withheld, 3U);
  spec.missing = missing_policy::zero_fill;
  const outcome filled = check(spec, input, 1000);
  ASSERT_EQ(filled.heaps.size(), 3U);
  EXPECT_TRUE(filled.heaps[0].bytes == std::vector<std::byte>(filled.heaps[0].bytes.size()));
  EXPECT_EQ(filled.levels[0].n_samples, 0U);
}

TEST_P(channeliser_edges, a_tone_that_saturates) {
  channeliser_spec spec = small_spec(64);
  spec.gains = {{.gains = {{{-100, 100}}}}};
  reference::recording input{.first_sample = 0,
                             .samples = {tone(samples_for(spec, 2), 511, 0.125)}};
  const outcome got = check(spec, input);
  ASSERT_EQ(got.heaps.size(), 2U);
  EXPECT_GE(got.heaps[0].saturated[0], 16U);
  int least = 0;
  for (const std::byte each : got.heaps[0].bytes) {
    least = std::min(least, int{static_cast<std::int8_t>(each)});
  }
  EXPECT_EQ(least, -127);
}

INSTANTIATE_TEST_SUITE_P(engines, channeliser_edges,
                         ::testing::Values(engine::reference, engine::host), engine_name);

}  // namespace
