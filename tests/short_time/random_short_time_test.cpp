// SPDX-License-Identifier: Apache-2.0
// Label: opencl
// Timeout: 300
// Random descriptions of short-time transforms on each engine, against the definition. As for
// random plans, WINGBEAT_RANDOM_PLANS says how many, WINGBEAT_RANDOM_SEED from which seed and
// WINGBEAT_TEST_SECONDS for how long.
#include <gtest/gtest.h>

#include <cstdio>  // printf

#include "short_time/short_time_check.hpp"  // check_short_time
#include "support/dice.hpp"                 // dice
#include "support/environment.hpp"          // from_environment
#include "support/on_engine.hpp"            // on_engine, all_engines
#include "support/share.hpp"                // has_time

namespace {

using namespace wingbeat;
using namespace wingbeat::test;

spectrum_features random_features(dice& draw, std::size_t bins, bool is_complex) {
  spectrum_features features;
  if (draw.one_in(3)) return features;
  features.exponent = draw.one_of({1.0, 2.0, 2.0, 0.6, 3.0});
  if (draw.one_in(3)) features.power_floor = 0.05;
  if (draw.one_in(4)) features.power_offset = 0.02;
  // A power that is not smooth at 0 has no derivative there that differences find.
  if (features.exponent < 1 && features.power_offset == 0) features.power_offset = 0.1;
  features.is_one_sided = !is_complex && draw.one_in(3);
  features.are_averaged = draw.one_in(6);
  if (features.are_averaged) return features;
  if (draw.one_in(2)) {
    features.bands = draw.between(1, 6);
    for (std::size_t i = 0; i < features.bands * bins; ++i) {
      features.weights.push_back(draw.one_in(2) ? 0 : static_cast<double>(draw.below(100)) / 64);
    }
  }
  if (draw.one_in(2)) {
    features.has_log = true;
    features.floor = draw.one_of({0.05, 0.2});
    features.offset = draw.one_in(2) ? 0.1 : 0;
    features.gain = draw.one_of({1.0, 4.342944819032518, -0.5});
    features.shift = draw.one_in(3) ? 2 : 0;
  }
  return features;
}

short_time_spec random_spec(dice& draw) {
  short_time_spec spec{.length = draw.between(1, 70), .batch = draw.between(1, 3)};
  spec.n_fft =
      draw.one_in(3) ? draw.between(1, 40) : draw.one_of<std::size_t>({4, 8, 15, 16, 20, 32});
  spec.hop = draw.between(1, spec.n_fft + 3);
  spec.window_length = draw.one_in(2) ? spec.n_fft : draw.between(1, spec.n_fft);
  spec.window_at = draw.below(spec.n_fft - spec.window_length + 1);
  spec.before = draw.one_in(3) ? 0 : draw.below(spec.n_fft + 5);
  spec.edge =
      draw.one_of({border::zero, border::mirror, border::repeat, border::clamp, border::reflect});
  const auto slack = static_cast<std::ptrdiff_t>(draw.below(2 * spec.n_fft + 1));
  spec.slack = slack - static_cast<std::ptrdiff_t>(std::min(spec.n_fft, spec.length));
  if (spec.frames() == 0) spec.slack = 0;
  spec.phase_origin = draw.one_in(2) ? 0 : static_cast<std::ptrdiff_t>(draw.below(80)) - 40;
  spec.scale = draw.one_of({1.0, 0.25, -3.0});
  spec.samples = draw.one_of({sample_type::fp32, sample_type::fp64, sample_type::fp64,
                              sample_type::complex_fp32, sample_type::complex_fp64,
                              sample_type::fp16, sample_type::bf16, sample_type::int16});
  spec.removes_mean = draw.one_in(4);
  spec.emphasis = draw.one_in(4) ? 0.97 : 0;
  spec.is_ragged = draw.one_in(4);
  spec.features = random_features(draw, spec.bins(), spec.is_complex());
  if (spec.is_ragged) spec.features.are_averaged = false;
  if (spec.is_ragged && spec.features.exponent == 0) spec.features = {};
  spec.has_inverse = !spec.removes_mean && spec.emphasis == 0;
  spec.leaves_zeros = spec.has_inverse;
  spec.least_weight = 0.02;
  spec.has_gradients = draw.one_in(2);
  if (spec.features.has_log && draw.one_in(4)) {
    spec.features.range = 1;
    spec.has_gradients = false;
  }
  return spec;
}

class random_short_time_on : public on_engine {};

TEST_P(random_short_time_on, agrees_with_the_definition) {
  const std::size_t count =
      GetParam() == engine::opencl ? (is_full_run() ? 200 : 6) : (is_full_run() ? 3000 : 150);
  const std::size_t first = from_environment("WINGBEAT_RANDOM_SEED", 1),
                    end = first + from_environment("WINGBEAT_RANDOM_PLANS", count);
  std::size_t seed = first;
  for (; seed < end && !HasFailure() && has_time(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    dice draw{seed};
    check_short_time(*on, random_spec(draw), seed);
  }
  std::printf("seeds %zu to %zu\n", first, seed - 1);
}

INSTANTIATE_TEST_SUITE_P(engines, random_short_time_on, all_engines(), engine_name);

}  // namespace
