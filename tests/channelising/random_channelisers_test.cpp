// SPDX-License-Identifier: Apache-2.0
// Label: opencl
// Timeout: 600
// Random channelisers on every engine against the reference in double precision: channeliser i is
// drawn from seed WINGBEAT_RANDOM_SEED + i.
//
//     WINGBEAT_RANDOM_PLANS=1000 build/test/tests/channelising_tests --gtest_filter=random_*
#include <gtest/gtest.h>

#include <complex>
#include <cstdint>  // uint64_t
#include <utility>  // pair

#include "channelising/engine_check.hpp"    // channeliser_on, noise_of
#include "channelising/spec.hpp"            // has_dither, is_integer
#include "reference/channeliser_check.hpp"  // small_spec
#include "support/dice.hpp"                 // dice
#include "support/environment.hpp"          // from_environment
#include "support/share.hpp"                // has_time

namespace {

using namespace wingbeat;
using namespace wingbeat::test;

/// A description, its input, and the pieces that it comes in.
struct drawn_channeliser {
  channeliser_spec spec;
  reference::recording input;
  std::vector<std::size_t> cuts;
};

/// Draws delays and gains, of all channels or of each.
void draw_models(dice& roll, channeliser_spec& spec) {
  const auto part = [&] { return static_cast<double>(roll.below(2001)) / 1000 - 1; };
  const bool delays = !roll.one_in(3), has_gains = roll.one_in(2);
  for (std::size_t p = 0; p < spec.polarisations && delays; ++p) {
    std::vector<delay_model> models{{.delay_samples = 300 * part(),
                                     .rate = roll.one_in(2) ? 1e-4 * part() : 0,
                                     .phase_rad = 3 * part(),
                                     .phase_rate = roll.one_in(2) ? 1e-3 * part() : 0}};
    if (roll.one_in(3)) {
      models.push_back({.start_samples = static_cast<std::int64_t>(roll.between(1000, 20000)),
                        .delay_samples = 4000 * part()});
    }
    spec.delays.push_back(models);
  }
  if (!has_gains) return;
  spec.gains = {{.start_samples = static_cast<std::int64_t>(roll.below(6000)), .gains = {}}};
  for (std::size_t p = 0; p < spec.polarisations; ++p) {
    std::vector<std::complex<float>> gains(roll.one_in(2) ? 1 : spec.channels);
    for (std::size_t k = 0; k < gains.size(); ++k) {
      gains[k] = std::polar(1.5F, 0.05F * static_cast<float>(k + p));
    }
    spec.gains[0].gains.push_back(gains);
  }
}

channeliser_spec random_spec(dice& roll) {
  constexpr std::size_t channels[] = {2,   3,   15,   27,   45,   60,   64,   64,   96,   100,
                                      128, 240, 1000, 1001, 1024, 1536, 2187, 3000, 16384};
  constexpr std::size_t taps[] = {1, 2, 3, 5, 16, 20, 33, 64}, heaps[] = {16, 16, 96, 160};
  constexpr heap_sample outputs[] = {heap_sample::int4, heap_sample::int8, heap_sample::int16,
                                     heap_sample::fp16, heap_sample::fp32};
  channeliser_spec spec = small_spec(roll.one_of(channels));
  const bool is_wide = spec.channels > 1000;
  spec.polarisations = roll.between(1, 2);
  spec.taps = is_wide ? roll.between(2, 4) : roll.one_of(taps);
  if (spec.channels < 4 || roll.one_in(8)) spec.window = filter_window::rectangular;
  spec.output = roll.one_of(outputs);
  spec.sample_bits = static_cast<unsigned>(spec.output == heap_sample::fp32 ? roll.between(2, 16)
                                                                            : roll.between(2, 12));
  spec.complex_samples = roll.one_in(3);
  spec.spectra_per_heap = is_wide ? 16 : roll.one_of(heaps);
  if (channelising::is_integer(spec.output) && roll.one_in(2)) spec.dither = dither_kind::uniform;
  if (channelising::has_dither(spec)) spec.seed = roll.below(1000);
  if (roll.one_in(2)) spec.missing = missing_policy::zero_fill;
  if (roll.one_in(3)) spec.evaluation = evaluation_point::window_centre;
  if (roll.one_in(4) && !spec.complex_samples && !is_wide) {
    spec.narrowband = {.centre_hz = 400e6, .decimation = 4};
    if (roll.one_in(2)) spec.narrowband->pass_bandwidth_hz = 150e6;
  }
  draw_models(roll, spec);
  return spec;
}

/// The same seed gives the same one everywhere.
drawn_channeliser random_channeliser(std::uint64_t seed) {
  dice roll{seed};
  drawn_channeliser drawn{random_spec(roll), {}, {}};
  const channeliser_spec& spec = drawn.spec;
  const double limit = static_cast<double>(1 << (spec.sample_bits - 1)) - 1;
  const double rms = roll.one_in(4)                     ? 1.5
                     : spec.output == heap_sample::int4 ? 3
                                                        : std::min(limit / 4, 60.0);
  const auto first = static_cast<std::int64_t>(roll.one_in(2) ? 0 : roll.below(20000));
  drawn.input = noise_of(spec, 3, roll.below(9000), rms, first);
  if (roll.one_in(2)) {
    drawn.cuts = {roll.between(500, 5000), roll.between(1, 99), 4097, 7};
    if (spec.channels > 500) drawn.cuts = {100'000};
    return drawn;
  }
  constexpr std::size_t packets[] = {100, 256, 1000};
  const std::size_t packet = roll.one_of(packets);
  drawn.input.packet_samples = packet;
  const std::size_t n_samples = drawn.input.samples[0].size() / channelising::parts_of(spec);
  for (std::size_t p = 0; p < spec.polarisations; ++p) {
    std::vector<bool>& present = drawn.input.present.emplace_back();
    for (std::size_t i = 0; i * packet < n_samples; ++i) present.push_back(!roll.one_in(200));
  }
  drawn.cuts = {roll.between(1, 40) * packet * (spec.channels > 500 ? 20 : 1), 4 * packet};
  return drawn;
}

class random_channelisers : public channeliser_on {};

TEST_P(random_channelisers, agree_with_the_reference) {
  const std::uint64_t count = leaves_out() ? 2 : GetParam() == engine::opencl ? 12 : 120;
  const std::uint64_t n_requests = from_environment("WINGBEAT_RANDOM_PLANS", count);
  const std::uint64_t first = from_environment("WINGBEAT_RANDOM_SEED", 1);
  for (std::uint64_t seed = first; seed < first + n_requests && !HasFailure() && has_time();
       ++seed) {
    const auto [spec, input, cuts] = random_channeliser(seed);
    SCOPED_TRACE(::testing::Message()
                 << "WINGBEAT_RANDOM_SEED=" << seed << ", " << spec.channels << " channels, "
                 << spec.taps << " taps, " << spec.sample_bits
                 << (spec.complex_samples ? " bits of complex samples" : " bits")
                 << (spec.narrowband ? ", a narrow band" : ""));
    check(spec, input, cuts);
  }
}

INSTANTIATE_TEST_SUITE_P(engines, random_channelisers, all_engines(), engine_name);

}  // namespace
