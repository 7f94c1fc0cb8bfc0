// SPDX-License-Identifier: Apache-2.0
// Label: opencl
// Timeout: 600
// Sums and bins stored as fp16 between launches: errors within the bound that the description
// states, on engines that store them; elsewhere they are refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "channelising/arithmetic/weights.hpp"  // rounded_weights
#include "channelising/engine_check.hpp"        // channeliser_on, noise_of
#include "reference/channeliser_check.hpp"      // small_spec, stored_value
#include "support/refusal.hpp"                  // refusal
#include "tuning/compiled_engines.hpp"          // compiles_kernels

namespace {

using namespace wingbeat;
using namespace wingbeat::test;

class between_launches_on : public channeliser_on {
 protected:
  [[nodiscard]] static bool stores() { return compiles_kernels(GetParam()); }
  void expect_refusal(const channeliser_spec& spec) {
    EXPECT_THAT(
        refusal([&] {
          channeliser{*on, spec, 0};
        }),
        ::testing::HasSubstr("between is of no use on " + std::string(name_of(GetParam()))));
  }

  /// Runs a spec with fp16 between, and expects that it is off by at most `bound` root mean
  /// squares of its values; or that it is refused, where nothing is stored between launches.
  void expect_halves(channeliser_spec spec, const reference::recording& input) {
    constexpr double bound = 1.0 / 2048;
    spec.output = heap_sample::fp32;
    const auto cuts = {std::size_t{100'000}};
    const outcome whole = run(spec, input, cuts, true);
    spec.between = precision::fp16;
    if (!stores()) return expect_refusal(spec);
    const outcome halves = run(spec, input, cuts, true);
    const auto expected = reference::channelise(spec, input);
    ASSERT_EQ(halves.heaps.size(), expected.heaps.size());
    ASSERT_GT(expected.heaps.size(), 0U);
    double energy = 0, error = 0;
    for (std::size_t h = 0; h < expected.heaps.size(); ++h) {
      const reference::heap held{.bytes = halves.heaps[h].bytes};
      for (std::size_t i = 0; i < expected.heaps[h].spectra.size(); ++i) {
        energy += std::norm(expected.heaps[h].spectra[i]);
        error += std::norm(stored_value(spec, held, i) - expected.heaps[h].spectra[i]);
      }
      EXPECT_EQ(halves.heaps[h].heap.saturated, whole.heaps[h].heap.saturated);
    }
    EXPECT_LT(error, bound * bound * energy);
    EXPECT_NE(halves.heaps[0].bytes, whole.heaps[0].bytes);
    RecordProperty("error", std::to_string(std::sqrt(error / energy)));
  }
};

TEST_P(between_launches_on, keep_errors_below_their_bound) {
  for (const double rms : {0.7, 30.0, 400.0}) {
    channeliser_spec spec = small_spec(12);
    spec.polarisations = 2;
    spec.delays = {{{.delay_samples = 3.3}}, {{.delay_samples = -12.25, .phase_rad = 1}}};
    expect_halves(spec, noise_of(spec, 3, 100, rms));
  }
}

TEST_P(between_launches_on, do_so_of_many_channels_and_of_few_bits) {
  for (const unsigned bits : cases<unsigned>({2}, {16})) {
    channeliser_spec spec = small_spec(bits == 2 ? 16384 : 4096);
    spec.sample_bits = bits;
    spec.taps = 2;
    expect_halves(spec, noise_of(spec, 1, 0, (1 << bits) / 8.0));
  }
}

TEST_P(between_launches_on, do_so_of_complex_samples_and_narrow_bands) {
  channeliser_spec complex = small_spec(60), narrow = small_spec(32);
  complex.complex_samples = true;
  narrow.narrowband = {.centre_hz = 400e6, .decimation = 4};
  for (const channeliser_spec& spec : {complex, narrow}) {
    expect_halves(spec, noise_of(spec, 2, 100, 30));
  }
}

// A sample has the sign of its weight, at full scale: no sum is larger. And a constant at full
// scale, of which no bin is larger.
TEST_P(between_launches_on, hold_the_largest_sums_and_bins) {
  channeliser_spec spec = small_spec(12);
  const auto weights = channelising::rounded_weights(spec);
  for (const bool is_constant : {false, true}) {
    reference::recording input = noise_of(spec, 2, 0, 1);
    for (std::size_t i = 0; i < input.samples[0].size(); ++i) {
      const bool is_positive = is_constant || weights[i % weights.size()] >= 0;
      input.samples[0][i] = is_positive ? 511 : -512;
    }
    expect_halves(spec, input);
  }
}

TEST_P(between_launches_on, round_to_the_same_integers_but_near_ties) {
  channeliser_spec spec = small_spec(12);
  spec.polarisations = 2;
  spec.dither = dither_kind::uniform;
  const auto input = noise_of(spec, 4, 0, 20);
  const outcome whole = run(spec, input, {100'000}, true);
  spec.between = precision::fp16;
  if (!stores()) return expect_refusal(spec);
  const outcome halves = run(spec, input, {100'000}, true);
  std::size_t n_other = 0, n = 0;
  for (std::size_t h = 0; h < whole.heaps.size(); ++h) {
    for (std::size_t i = 0; i < whole.heaps[h].bytes.size(); ++i, ++n) {
      const int a = static_cast<signed char>(whole.heaps[h].bytes[i]);
      const int b = static_cast<signed char>(halves.heaps[h].bytes[i]);
      EXPECT_LE(std::abs(a - b), 1);
      n_other += a != b ? 1 : 0;
    }
  }
  EXPECT_LE(static_cast<double>(n_other), 0.02 * static_cast<double>(n));
}

TEST_P(between_launches_on, are_refused_where_there_is_one_launch) {
  channeliser_spec spec = small_spec(64);
  for (const precision stored : {precision::fp16, precision::fp32}) {
    spec.between = stored;
    expect_refusal(spec);
  }
}

INSTANTIATE_TEST_SUITE_P(engines, between_launches_on, all_engines(), engine_name);

}  // namespace
