// SPDX-License-Identifier: Apache-2.0
// Missing packets: which heaps they touch, by definition, and what becomes of those.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>  // min

#include "reference/channeliser_check.hpp"

namespace {

using namespace wingbeat::test;
using namespace wingbeat;
using namespace wingbeat::channelising;
using namespace wingbeat::reference;

constexpr std::size_t packet = 512;

/// Packets that are lost, as half-open ranges.
using losses = std::vector<std::pair<std::size_t, std::size_t>>;

std::vector<bool> flags_of(std::size_t n_samples, const losses& lost) {
  std::vector<bool> present((n_samples + packet - 1) / packet, true);
  for (const auto& [first, end] : lost) {
    for (std::size_t i = first; i < std::min(end, present.size()); ++i) present[i] = false;
  }
  return present;
}

bool touches(const std::vector<bool>& present, std::int64_t first, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    if (!present[(static_cast<std::size_t>(first) + i) / packet]) return true;
  }
  return false;
}

/// Returns whether a heap's spectra touch missing samples, sample by sample.
bool is_touched(const channeliser_spec& spec, std::int64_t timestamp,
                const std::vector<bool>& present) {
  const auto sizes = sizes_of(spec);
  for (std::size_t s = 0; s < sizes.spectra_per_heap; ++s) {
    const auto t = timestamp + static_cast<std::int64_t>(s * sizes.spectrum_samples);
    if (touches(present, t, sizes.window_samples)) return true;
  }
  return false;
}

void check_withheld(channeliser_spec spec, std::size_t n_heaps, const losses (&lost)[2]) {
  spec.polarisations = 2;
  const std::size_t n = samples_for(spec, n_heaps);
  recording input{0, {gaussian(n, 30, 1), gaussian(n, 30, 2)}, packet};
  const auto complete = channelise(spec, input);
  ASSERT_EQ(complete.heaps.size(), n_heaps);
  input.present = {flags_of(n, lost[0]), flags_of(n, lost[1])};
  const auto found = channelise(spec, input);
  std::size_t offset = 0;
  std::vector<std::int64_t> withheld;
  for (const auto& heap : complete.heaps) {
    if (is_touched(spec, heap.timestamp, input.present[0]) ||
        is_touched(spec, heap.timestamp, input.present[1])) {
      withheld.push_back(heap.timestamp);
      continue;
    }
    ASSERT_LT(offset, found.heaps.size());
    EXPECT_EQ(found.heaps[offset].timestamp, heap.timestamp);
    EXPECT_EQ(found.heaps[offset].bytes, heap.bytes);
    EXPECT_EQ(found.heaps[offset].is_complete, std::vector<bool>(2, true));
    ++offset;
  }
  EXPECT_EQ(offset, found.heaps.size());
  EXPECT_EQ(found.withheld, withheld);
  EXPECT_GT(withheld.size(), 0u);
  EXPECT_GT(offset, 0u);
}

TEST(channeliser_missing, withholds_exactly_the_heaps_that_a_loss_touches) {
  const losses both{{8, 10}, {15, 16}, {117, 133}}, one{{60, 61}};
  for (const bool is_narrow : {false, true}) {
    auto spec = small_spec(64);
    spec.taps = 4;
    if (is_narrow) spec.narrowband = {{.centre_hz = 500e6, .decimation = 4}};
    check_withheld(spec, 40, {both, both});
    check_withheld(spec, 40, {{}, one});
    check_withheld(spec, 40, {one, {}});
  }
  auto spec = small_spec(512);
  spec.taps = 2;
  check_withheld(spec, 12, {both, both});
}

TEST(channeliser_missing, counts_missing_samples_nowhere) {
  const auto spec = small_spec(64);
  const std::size_t n = samples_for(spec, 4) / packet * packet + 100;
  const losses lost{{0, 2}, {n / packet, n / packet + 1}};
  const auto found = channelise(spec, {0, {samples(n, 3)}, packet, {flags_of(n, lost)}});
  EXPECT_EQ(found.levels[0].n_samples, n - 1024 - 100);
  EXPECT_EQ(found.levels[0].sum_of_squares, 9 * (n - 1124));
  const auto nothing = channelise(spec, {0, {samples(n, 3)}, n, {{false}}});
  EXPECT_TRUE(nothing.heaps.empty());
  EXPECT_EQ(nothing.levels[0].n_samples, 0u);
  EXPECT_LT(nothing.levels[0].dbfs(), -1e300);
}

TEST(channeliser_missing, fills_with_zeros_and_flags_each_polarisation) {
  auto spec = small_spec(64);
  spec.missing = missing_policy::zero_fill;
  spec.polarisations = 2;
  const std::size_t n = samples_for(spec, 6);
  const recording complete{0, {gaussian(n, 30, 1), gaussian(n, 30, 2)}, packet};
  recording holed = complete, zeroed = complete;
  holed.present = {flags_of(n, {}), flags_of(n, {{9, 11}})};
  std::fill_n(zeroed.samples[1].begin() + 9 * packet, 2 * packet, std::int16_t{0});
  const auto found = channelise(spec, holed), expected = channelise(spec, zeroed);
  ASSERT_EQ(found.heaps.size(), 6u);
  EXPECT_TRUE(found.withheld.empty());
  std::size_t n_flagged = 0;
  for (std::size_t h = 0; h < 6; ++h) {
    const auto& heap = found.heaps[h];
    EXPECT_EQ(heap.bytes, expected.heaps[h].bytes);
    EXPECT_TRUE(heap.is_complete[0]);
    EXPECT_EQ(heap.is_complete[1], !is_touched(spec, heap.timestamp, holed.present[1]));
    n_flagged += heap.is_complete[1] ? 0 : 1;
  }
  EXPECT_EQ(n_flagged, 2u);
}

}  // namespace
