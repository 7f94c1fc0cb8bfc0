// SPDX-License-Identifier: Apache-2.0
// Delays and phases of the reference channeliser on tones, whose phase is known in closed form:
// with frequency f in cycles per sample, a delay d and a phase p, the spectrum at output time t has
// the phase  2 pi f t - 2 pi (f - 1/4) d + p,  because the phase at the centre of the band, 1/4, is
// the model's alone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>  // max

#include "reference/channeliser_check.hpp"

namespace {

using namespace wingbeat::test;
using namespace wingbeat;
using namespace wingbeat::channelising;
using wingbeat::reference::channelise;
using complex = std::complex<double>;

TEST(channeliser_delays, undo_those_of_the_signal) {
  const struct { double first, second; } pairs[] = {{0, 0}, {8192, 234.5}, {-42, 58}, {42.4, 24.2}};
  const double f[2] = {192.0 / 2048, 271.0 / 2048}, amplitude[2] = {110, 80};
  const double oscillator = 0.5;  // the sky's frequency less the digitised one's
  auto spec = small_spec(1024);
  spec.polarisations = 2;
  spec.spectra_per_heap = 16;
  const double gain[2] = {100 / (55 * coherent_gain(spec)), 60 / (40 * coherent_gain(spec))};
  for (const auto& pair : pairs) {
    const double delay[2] = {pair.first, pair.second};
    const std::size_t n = samples_for(spec, 4);
    std::vector<samples> x;
    spec.delays.clear();
    spec.gains = {{0, {}}};
    for (int p = 0; p < 2; ++p) {
      // The signal comes early by `delay`, on the sky.
      x.push_back(tone(n, amplitude[p], f[p], (f[p] + oscillator) * delay[p] + 0.1));
      spec.delays.push_back({{0, delay[p], 0, -2 * pi * (0.25 + oscillator) * delay[p]}});
      spec.gains[0].gains.push_back({std::complex<float>(std::polar(gain[p], 0.7 + p))});
    }
    const auto found = channelise(spec, {0, x});
    const bool is_late = pair.first > 0 || pair.second > 0;
    ASSERT_GE(found.heaps.size(), 2u);
    EXPECT_EQ(found.heaps[0].timestamp, is_late ? 16 * 2048 : 0);
    for (const auto& heap : found.heaps) {
      for (std::size_t i = 0; i < heap.spectra.size(); ++i) {
        const std::size_t p = i % 2, k = i / 32;
        const complex z = stored_value(spec, heap, i);
        if (k != (p == 0 ? 192 : 271)) {
          ASSERT_LE(std::abs(z), 1.5) << k;
          continue;
        }
        EXPECT_NEAR(std::abs(z), p == 0 ? 100 : 60, 3);
        EXPECT_LT(angle_between(z, std::polar(1.0, 2 * pi * 0.1 + 0.7 + static_cast<double>(p))),
                  0.02);
      }
    }
  }
}

TEST(channeliser_delays, follow_rates_at_the_window_s_start_or_centre) {
  for (const auto point : {evaluation_point::window_start, evaluation_point::window_centre}) {
    auto spec = small_spec(64);
    spec.evaluation = point;
    spec.output = heap_sample::fp32;
    const delay_model model{0, 3.7, 1e-3, 0.4, 3e-4};
    spec.delays = {{model}};
    const double f = 20.0 / 128;
    const auto found = channelise(spec, {0, {tone(samples_for(spec, 4), 500, f)}});
    const double offset = point == evaluation_point::window_start ? 0 : (16 * 128 - 1) / 2.0;
    ASSERT_EQ(found.heaps.size(), 3u);
    for (const auto& heap : found.heaps) {
      for (std::size_t s = 0; s < 16; ++s) {
        const double t = static_cast<double>(heap.timestamp) + static_cast<double>(s) * 128;
        const double d = 3.7 + (t + offset) * 1e-3, p = 0.4 + (t + offset) * 3e-4;
        const double phase = 2 * pi * f * t - 2 * pi * (f - 0.25) * d + p;
        EXPECT_LT(angle_between(heap.spectra[place_of(spec, 20, s)], std::polar(1.0, phase)), 2e-4);
      }
    }
  }
}

TEST(channeliser_delays, at_the_centre_follow_a_moving_source_more_closely) {
  // The source's delay shrinks steadily; what compensates it grows.
  const double rate = 1e-4, f = 50.0 / 128;
  auto spec = small_spec(64);
  spec.output = heap_sample::fp32;
  spec.delays = {{{0, 0, rate, 0, 2 * pi * -0.25 * rate}}};
  samples x(samples_for(spec, 3));
  for (std::size_t i = 0; i < x.size(); ++i) {
    // Made earlier by d at output time t = i + d: the sample at i shows the signal of time i + d.
    const double t = static_cast<double>(i) / (1 - rate);
    x[i] = static_cast<std::int16_t>(std::nearbyint(500 * std::cos(2 * pi * f * t)));
  }
  double worst[2] = {};
  for (const auto point : {evaluation_point::window_start, evaluation_point::window_centre}) {
    spec.evaluation = point;
    const auto found = channelise(spec, {0, {x}});
    ASSERT_GE(found.heaps.size(), 1u);
    for (const auto& heap : found.heaps) {
      for (std::size_t s = 0; s < 16; ++s) {
        double& error = worst[static_cast<int>(point)];
        error = std::max(error, std::abs(std::arg(heap.spectra[place_of(spec, 50, s)])));
      }
    }
  }
  EXPECT_GT(worst[0], 0.1) << "half a window times the rate";
  EXPECT_LT(worst[1], 0.01);
}

TEST(channeliser_delays, switch_on_the_first_spectrum_that_starts_no_earlier) {
  const std::int64_t starts[] = {0, 123456, 400000, 1234567};
  const double phases[] = {1, 0.2, -0.2, -2};
  auto spec = small_spec(64);
  spec.gains = {{0, {{100 / (250 * static_cast<float>(coherent_gain(spec)))}}}};
  spec.delays.resize(1);
  for (int i = 0; i < 4; ++i) spec.delays[0].push_back({starts[i], 0, 0, phases[i], 0});
  const auto found = channelise(spec, {0, {tone(1300000, 500, 10.0 / 128)}});
  ASSERT_GT(found.heaps.size(), 620u);
  for (const auto& heap : found.heaps) {
    for (std::size_t s = 0; s < 16; ++s) {
      const std::int64_t t = heap.timestamp + static_cast<std::int64_t>(s) * 128;
      int active = 3;
      while (starts[active] > t) --active;
      const complex z = stored_value(spec, heap, place_of(spec, 10, s));
      ASSERT_LT(angle_between(z, std::polar(1.0, phases[active])), 0.02) << t;
    }
  }
}

TEST(channeliser_delays, slope_across_the_band) {
  auto spec = small_spec(256);
  spec.polarisations = 2;
  spec.gains = {{0, {{1}, {1}}}};
  spec.delays = {{}, {{0, 0.3}}};
  const auto x = gaussian(samples_for(spec, 1), 40, 9);
  const auto found = channelise(spec, {0, {x, x}});
  const auto& heap = found.heaps.at(0);
  for (std::size_t k = 1; k < 256; ++k) {
    complex cross = 0;
    for (std::size_t s = 0; s < 16; ++s) {
      cross += stored_value(spec, heap, place_of(spec, k, s, 1)) *
               std::conj(stored_value(spec, heap, place_of(spec, k, s, 0)));
    }
    const double slope = -pi * 0.3 * (static_cast<double>(k) - 128) / 256;
    EXPECT_LT(angle_between(cross, std::polar(1.0, slope)), 0.04) << k;
  }
}

TEST(channeliser_delays, may_jump_by_more_than_a_heap) {
  auto spec = small_spec(64);
  const auto x = gaussian(samples_for(spec, 12), 30, 5);
  const auto run = [&](const std::vector<delay_model>& models) {
    spec.delays = {models};
    return channelise(spec, {0, {x}});
  };
  const auto plain = run({}), late = run({{0, 5000}}), early = run({{0, -5000}});
  const auto find = [](const auto& channelised, std::int64_t t) {
    for (const auto& heap : channelised.heaps) {
      if (heap.timestamp == t) return heap.bytes;
    }
    return std::vector<std::byte>();
  };
  // Back by 5000 samples at the seventh heap: input is read again.
  const auto back = run({{6 * 2048, 5000}});
  ASSERT_EQ(back.heaps.size(), 14u);
  EXPECT_EQ(back.n_skipped, 0u);
  for (const auto& heap : back.heaps) {
    EXPECT_EQ(heap.bytes, find(heap.timestamp < 6 * 2048 ? plain : late, heap.timestamp));
  }
  // Forward: input is left out, no output is.
  const auto forward = run({{6 * 2048, -5000}});
  ASSERT_EQ(forward.heaps.size(), 9u);
  for (const auto& heap : forward.heaps) {
    EXPECT_EQ(heap.bytes, find(heap.timestamp < 6 * 2048 ? plain : early, heap.timestamp));
  }
  // Back beyond the recording's start, within the second heap: output waits until there is input.
  const auto lost = run({{2048 + 100, 5000}});
  ASSERT_GE(lost.heaps.size(), 2u);
  EXPECT_EQ(lost.heaps[0].timestamp, 0);
  EXPECT_EQ(lost.heaps[1].timestamp, 3 * 2048);
  EXPECT_EQ(lost.n_skipped, 2u);
  EXPECT_EQ(lost.heaps[1].bytes, find(late, 3 * 2048));
}

TEST(channeliser_delays, hold_near_the_end_of_48_bits) {
  constexpr std::int64_t begin = std::int64_t{1} << 47;
  auto spec = small_spec(64);
  const auto x = gaussian(samples_for(spec, 3), 30, 6);
  spec.delays = {{{0, 7.25, 1e-4, 0.5, 1e-3}}};
  const auto at_zero = channelise(spec, {0, {x}});
  spec.delays[0][0].start_samples = begin;
  const auto found = channelise(spec, {begin, {x}});
  ASSERT_EQ(found.heaps.size(), at_zero.heaps.size());
  ASSERT_EQ(found.heaps.size(), 2u);
  for (std::size_t h = 0; h < at_zero.heaps.size(); ++h) {
    bool is_found = false;
    for (const auto& heap : found.heaps) {
      if (heap.timestamp != at_zero.heaps[h].timestamp + begin) continue;
      EXPECT_EQ(heap.bytes, at_zero.heaps[h].bytes);
      is_found = true;
    }
    EXPECT_TRUE(is_found);
  }
}

}  // namespace
