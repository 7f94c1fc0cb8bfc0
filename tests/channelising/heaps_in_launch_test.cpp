// SPDX-License-Identifier: Apache-2.0
// Label: opencl
// Timeout: 600
// Heaps that samples fill at once are made in one launch, or in a few: the same bytes as one by
// one, whatever lies between them. Each case is checked against the reference too.
#include <gtest/gtest.h>

#include "channelising/engine_check.hpp"    // channeliser_on, noise_of
#include "channelising/memory.hpp"          // heaps_in_launch
#include "reference/channeliser_check.hpp"  // small_spec

namespace {

using namespace wingbeat;
using namespace wingbeat::test;

class heaps_in_launch_on : public channeliser_on {
 protected:
  /// All heaps at once, beside each alone.
  void check_heaps(const channeliser_spec& spec, const reference::recording& input) {
    check(spec, input, {sizes_of(spec).heap_samples});
  }

  /// Launches make 64, 8 and 1 of such heaps.
  static constexpr std::size_t n_heaps = 64 + 2 * 8 + 3;
};

/// Of banks in one launch, in three, and of numbers of a narrow band.
std::vector<channeliser_spec> banks() {
  channeliser_spec fused = small_spec(64), chained = small_spec(12), narrow = small_spec(32);
  narrow.narrowband = {.centre_hz = 400e6, .decimation = 4};
  for (channeliser_spec* const each : {&fused, &chained, &narrow}) {
    each->polarisations = 2;
    each->taps = 4;
    each->dither = dither_kind::uniform;
    each->seed = 77;
  }
  return {fused, chained, narrow};
}

TEST(heaps_in_launch, are_those_of_the_samples_taken_at_once) {
  const auto most = [](std::size_t channels, std::size_t spectra, engine runs_on) {
    return channelising::heaps_in_launch(
        sizes_of({.adc_rate_hz = 1e9, .channels = channels, .spectra_per_heap = spectra}), runs_on);
  };
  EXPECT_EQ(most(4096, 0, engine::cuda), 1U);
  EXPECT_EQ(most(4096, 64, engine::cuda), 4U);
  EXPECT_EQ(most(4096, 96, engine::cuda), 2U);
  EXPECT_EQ(most(64, 16, engine::opencl), 64U);
  EXPECT_EQ(most(32768, 1024, engine::cuda), 1U);
  EXPECT_EQ(most(64, 16, engine::host), 1U);
}

TEST_P(heaps_in_launch_on, have_gains_of_their_own) {
  for (channeliser_spec spec : banks()) {
    SCOPED_TRACE(spec.channels);
    const auto heap = static_cast<std::int64_t>(sizes_of(spec).heap_samples);
    // From a heap on, within one, and from the next on.
    spec.gains = {{.start_samples = 10 * heap, .gains = {{{2, 1}}, {{1, 0}}}},
                  {.start_samples = 14 * heap + heap / 2, .gains = {{{1, 0}}, {{0, 3}}}},
                  {.start_samples = 15 * heap, .gains = {{{90, 0}}, {{1, 1}}}}};
    check_heaps(spec, noise_of(spec, 15 + n_heaps, 100, 30));
  }
}

TEST_P(heaps_in_launch_on, have_delays_that_move_their_windows) {
  for (channeliser_spec spec : banks()) {
    SCOPED_TRACE(spec.channels);
    const auto heap = static_cast<std::int64_t>(sizes_of(spec).heap_samples);
    // Windows that jump ahead within a heap, and so far back that a heap is skipped.
    spec.delays = {{{.delay_samples = 3.3, .rate = 1e-3, .phase_rad = 1, .phase_rate = 1e-3},
                    {.start_samples = 3 * heap + heap / 3, .delay_samples = -70.6},
                    {.start_samples = 30 * heap, .delay_samples = 60.25}},
                   {{.delay_samples = -12.25}}};
    check_heaps(spec, noise_of(spec, n_heaps, 1000, 30, 700));
  }
}

TEST_P(heaps_in_launch_on, leave_out_or_fill_what_misses_samples) {
  for (channeliser_spec spec : banks()) {
    for (const missing_policy missing : {missing_policy::withhold, missing_policy::zero_fill}) {
      SCOPED_TRACE(spec.channels);
      spec.missing = missing;
      reference::recording input = noise_of(spec, n_heaps, 0, 30);
      input.packet_samples = sizes_of(spec).heap_samples / 4;
      const std::size_t n = input.samples[0].size() / input.packet_samples + 1;
      input.present.assign(2, std::vector<bool>(n, true));
      input.present[1][14] = input.present[0][15] = false;
      check_heaps(spec, input);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(engines, heaps_in_launch_on, all_engines(), engine_name);

}  // namespace
