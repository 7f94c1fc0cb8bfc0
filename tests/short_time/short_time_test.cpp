// SPDX-License-Identifier: Apache-2.0
// Label: opencl
// Timeout: 300
// Oracle: the definition, in long double; gradients by its differences.
#include "wingbeat/short_time.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>  // cos, isnan

#include "short_time/short_time_check.hpp"  // check_short_time
#include "support/on_engine.hpp"            // on_engine, all_engines
#include "support/refusal.hpp"              // refusal

namespace {

using namespace wingbeat;
using namespace wingbeat::test;
using ::testing::HasSubstr;

std::vector<double> hann(std::size_t n) {
  std::vector<double> window;
  for (std::size_t i = 0; i < n; ++i) {
    window.push_back(0.5 - 0.5 * std::cos(2 * 3.14159265358979323846 * double(i) / double(n)));
  }
  return window;
}

/// Overlapping triangles, [band][bin].
std::vector<double> triangles(std::size_t bands, std::size_t bins) {
  std::vector<double> weights(bands * bins);
  for (std::size_t m = 0; m < bands; ++m) {
    for (std::size_t k = 0; k < bins; ++k) {
      const double centre = double(m + 1) * double(bins) / double(bands + 1);
      const double width = double(bins) / double(bands + 1);
      weights[m * bins + k] = std::max(0.0, 1 - std::abs(double(k) - centre) / width);
    }
  }
  return weights;
}

short_time_spec small() {
  return {.length = 57,
          .batch = 2,
          .n_fft = 16,
          .hop = 5,
          .window = hann(16),
          .before = 8,
          .edge = border::reflect};
}

class short_time_on : public on_engine {};

TEST_P(short_time_on, takes_spectra_and_gives_samples_back) {
  short_time_spec spec = small();
  spec.has_inverse = spec.has_gradients = true;
  check_short_time(*on, spec);
}

/// Inverses in one launch: frames of a row in several runs, their threads beside those of others.
TEST_P(short_time_on, adds_frames_up_in_registers) {
  for (const std::size_t before : {8, 7}) {
    for (const sample_type samples : cases<sample_type>({sample_type::fp32}, {sample_type::fp64})) {
      short_time_spec spec{.length = 400,
                           .batch = 3,
                           .n_fft = 32,
                           .hop = 8,
                           .window_at = 4,
                           .before = before,
                           .samples = samples};
      spec.has_inverse = spec.leaves_zeros = true;
      spec.slack = static_cast<std::ptrdiff_t>(before);
      for (std::size_t i = 0; i < 24; ++i) spec.window.push_back(1.0 / static_cast<double>(i + 1));
      check_short_time(*on, spec);
      if (GetParam() != engine::opencl && GetParam() != engine::cuda) continue;
      EXPECT_THAT(short_time(*on, spec).explain(),
                  HasSubstr("their sums in one launch: 9 runs of 24"));
      spec.window.clear();
      spec.window_length = 24;  // weights that runs are given
      check_short_time(*on, spec);
    }
  }
}

TEST_P(short_time_on, takes_doubles_and_complex_samples_with_phases) {
  short_time_spec spec = small();
  spec.phase_origin = 8;
  spec.scale = 0.25;
  spec.has_inverse = spec.has_gradients = true;
  for (const sample_type samples : cases<sample_type>(
           {sample_type::fp64}, {sample_type::complex_fp32, sample_type::complex_fp64})) {
    spec.samples = samples;
    check_short_time(*on, spec);
  }
}

TEST_P(short_time_on, reads_samples_of_16_bits) {
  for (const sample_type samples :
       cases<sample_type>({sample_type::int16}, {sample_type::fp16, sample_type::bf16})) {
    short_time_spec spec = small();
    spec.samples = samples;
    check_short_time(*on, spec);
  }
}

TEST_P(short_time_on, continues_rows_however_far_outside) {
  for (const border edge : cases<border>(
           {border::mirror}, {border::zero, border::repeat, border::clamp, border::reflect})) {
    for (const std::size_t length : cases<std::size_t>({3}, {1, 2, 9})) {
      short_time_spec spec{.length = length,
                           .n_fft = 12,
                           .hop = 3,
                           .window = {},
                           .before = 15,
                           .edge = edge,
                           .slack = 20};
      spec.samples = sample_type::fp64;
      spec.has_gradients = true;
      check_short_time(*on, spec);
    }
  }
}

TEST_P(short_time_on, makes_features) {
  short_time_spec spec = small();
  spec.samples = sample_type::fp64;
  spec.has_gradients = true;
  spec.features.exponent = 2;
  check_short_time(*on, spec);
  spec.features.bands = 4;
  spec.features.weights = triangles(4, 9);
  spec.features.has_log = true;
  spec.features.floor = 0.02;
  spec.features.gain = 0.4342944819032518;
  check_short_time(*on, spec);
  if (leaves_out()) return;
  spec.features = {.exponent = 1};
  check_short_time(*on, spec);
  spec.features = {.exponent = 1, .power_floor = 0.1, .power_offset = 0.03, .is_one_sided = true};
  check_short_time(*on, spec);
  spec.features = {.exponent = 0.6, .has_log = true, .offset = 0.1, .shift = 3};
  check_short_time(*on, spec);
}

TEST_P(short_time_on, limits_rows_below_their_maxima) {
  short_time_spec spec = small();
  spec.features = {.exponent = 2, .has_log = true, .floor = 1e-10, .range = 1.5};
  check_short_time(*on, spec);
}

TEST_P(short_time_on, averages_over_frames) {
  short_time_spec spec = small();
  spec.features = {.exponent = 2, .is_one_sided = true, .are_averaged = true};
  spec.removes_mean = true;
  spec.has_gradients = true;
  check_short_time(*on, spec);
}

/// 1000 times 0.1 does not add up to 100 in fp32.
TEST_P(short_time_on, leaves_nothing_of_a_constant) {
  short_time powers{*on,
                    {.length = 2000,
                     .n_fft = 1000,
                     .hop = 500,
                     .window = hann(1000),
                     .slack = -1000,
                     .removes_mean = true,
                     .features = {.exponent = 2}}};
  const std::vector<float> samples(2000, 0.1F);
  std::vector<float> results(powers.result_bytes() / sizeof(float), 1.0F);
  buffer in{*on, powers.sample_bytes()}, out{*on, powers.result_bytes()};
  in.write(samples.data(), in.size_bytes());
  powers.enqueue(*on, in.view(), out.view());
  out.read(results.data(), out.size_bytes());
  for (const float power : results) ASSERT_EQ(power, 0);
}

TEST_P(short_time_on, removes_means_and_emphasises_frames) {
  short_time_spec spec{.length = 60,
                       .batch = 2,
                       .n_fft = 16,
                       .hop = 6,
                       .window_length = 12,
                       .window_at = 3,
                       .slack = -16,
                       .samples = sample_type::fp64,
                       .removes_mean = true,
                       .emphasis = 0.9};
  spec.has_gradients = true;
  spec.features = {.exponent = 2, .has_log = true, .floor = 1e-3};
  check_short_time(*on, spec);
}

TEST_P(short_time_on, takes_rows_of_their_own_lengths) {
  short_time_spec spec = small();
  spec.batch = 4;
  spec.is_ragged = spec.leaves_zeros = spec.has_inverse = spec.has_gradients = true;
  check_short_time(*on, spec, 3);
}

TEST_P(short_time_on, keeps_silence_and_what_is_no_number_in_their_frames) {
  short_time_spec spec = small();
  spec.features.exponent = 1;
  spec.has_gradients = true;
  short_time_problem problem{spec, 1};
  problem.x.assign(problem.x.size(), 0);
  for (const auto& each : short_time_runs{*on, problem}.gradient()) EXPECT_EQ(each, 0.0L);
  problem.x[57 + 30] = std::nan("");
  const auto got = short_time_runs{*on, problem}.run();
  for (std::size_t i = 0; i < got.size(); ++i) {
    const std::size_t row = i / 9 / spec.frames(), t = i / 9 % spec.frames();
    const bool has_it = row == 1 && t * 5 <= 38 && 38 < t * 5 + 16;
    if (!has_it) {
      EXPECT_EQ(got[i], 0.0L) << row << ' ' << t;
    } else if (t * 5 < 38) {
      EXPECT_TRUE(std::isnan(got[i].real())) << t;
    }
  }
}

TEST_P(short_time_on, limits_rows_below_the_largest_number) {
  short_time_spec spec = small();
  spec.batch = 1;
  spec.features = {.exponent = 2, .has_log = true, .floor = 1e-10, .range = 1.5};
  short_time_problem problem{spec, 1};
  for (std::size_t i = 0; i < spec.length; ++i) problem.x[i] = i >= 18 && i < 22 ? 100 : 1e-3;
  const auto expected = short_time_runs{*on, problem}.run();
  problem.x.back() = std::nan("");  // of the last frames alone
  const auto got = short_time_runs{*on, problem}.run();
  std::size_t n_numbers = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (std::isnan(got[i].real())) continue;
    EXPECT_EQ(got[i], expected[i]) << i;
    ++n_numbers;
  }
  EXPECT_GT(n_numbers, got.size() / 2);
  EXPECT_LT(n_numbers, got.size());
}

INSTANTIATE_TEST_SUITE_P(engines, short_time_on, all_engines(), engine_name);

class short_time_request : public ::testing::Test {
 protected:
  std::string refused(const short_time_spec& spec) {
    return refusal([&] { short_time{on, spec}; });
  }
  queue on{first_device(engine::host)};
};

TEST_F(short_time_request, refuses_what_has_no_frame_or_no_inverse) {
  short_time_spec spec = small();
  spec.hop = 0;
  EXPECT_THAT(refused(spec), HasSubstr("hop is 0"));
  spec = small();
  spec.slack = -80;
  EXPECT_THAT(refused(spec), HasSubstr("they have no frame"));
  spec = small();
  spec.window_at = 1;
  EXPECT_THAT(refused(spec), HasSubstr("16 weights from sample 1"));
  spec = small();
  spec.before = 0;
  spec.slack = -16;
  spec.has_inverse = true;
  EXPECT_THAT(refused(spec), HasSubstr("from sample 0 on"));
  spec.leaves_zeros = true;
  EXPECT_EQ(refused(spec), nothing_refused);
  spec.window = {};
  spec.leaves_zeros = false;
  EXPECT_THAT(refused(spec), HasSubstr("set leaves_zeros"));
  spec = small();
  spec.features.has_log = true;
  EXPECT_THAT(refused(spec), HasSubstr("exponent is 0"));
  spec.features = {.exponent = 2, .bands = 2, .weights = {1, 2}};
  EXPECT_THAT(refused(spec), HasSubstr("2 numbers"));
  const short_time plan{on, small()};
  buffer memory{on, 1 << 16};
  EXPECT_THAT(refusal([&] { plan.enqueue_inverse(on, memory.view(), memory.view()); }),
              HasSubstr("has_inverse is false"));
}

/// Finds the samples that steady frames leave out, too.
TEST_F(short_time_request, names_the_samples_without_weight) {
  short_time_spec spec{.length = 100000,
                       .n_fft = 8,
                       .hop = 10,
                       .window = std::vector<double>(8, 1),
                       .slack = -8,
                       .has_inverse = true};
  EXPECT_THAT(refused(spec), HasSubstr("20000 samples, from sample 8 on"));
}

}  // namespace
