// SPDX-License-Identifier: Apache-2.0
// Oracle: sums over bands and their logarithms in double, also of what is not finite.
#include "short_time/bands_in_process.hpp"

#include <gtest/gtest.h>

#include <algorithm>  // max
#include <cmath>
#include <complex>
#include <limits>
#include <vector>

#include "wingbeat/mel_bands.hpp"  // mel_weights

namespace {

using namespace wingbeat;

using row = std::vector<std::complex<float>>;

short_time_spec log_mel(std::size_t bands) {
  short_time_spec spec{.length = 400, .n_fft = 400, .hop = 160};
  spec.features = {.exponent = 2,
                   .bands = bands,
                   .weights = mel_weights({.bands = bands, .n_fft = 400, .rate_hz = 16000}),
                   .has_log = true,
                   .floor = 1e-10,
                   .offset = 1e-3,
                   .gain = 0.4342944819032518,
                   .shift = 2};
  return spec;
}

double level_of(const short_time_spec& spec, std::size_t band, const row& bins) {
  const spectrum_features& features = spec.features;
  double sum = 0;
  for (std::size_t k = 0; k < bins.size(); ++k) {
    const double weight = features.weights[band * bins.size() + k];
    // Powers are fp32, beyond which they are infinite.
    if (weight != 0) sum += weight * static_cast<double>(std::norm(bins[k]));
  }
  if (!features.has_log) return sum;
  const double most = sum < features.floor ? features.floor : sum;
  return features.gain * std::log(most + features.offset) + features.shift;
}

void check(const short_time_spec& spec, const row& bins) {
  const std::size_t n = spec.features.bands;
  const auto store = short_times::bands_in_process(spec);
  ASSERT_TRUE(store);
  EXPECT_EQ(store->row_outputs, n);
  std::vector<float> out(3 * n, -77);
  std::get<run_writer<std::complex<float>>>(store->callable)(out.data(), 1, 0, bins);
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (i / n != 1) {
      EXPECT_EQ(out[i], -77) << "beside the row, " << i;
      continue;
    }
    const double expected = level_of(spec, i % n, bins);
    if (std::isfinite(expected)) {
      EXPECT_NEAR(out[i], expected, 1e-6 * std::max(std::abs(expected), 1.0)) << i % n;
    } else {
      EXPECT_TRUE(std::isnan(expected) ? std::isnan(out[i]) : out[i] == expected) << i % n;
    }
  }
}

row noise(float amplitude) {
  row bins;
  for (int k = 0; k < 201; ++k) {
    const auto phase = static_cast<float>(k * k);
    bins.push_back(std::polar(amplitude * (1 + std::sin(3 * phase)), phase));
  }
  return bins;
}

TEST(short_time_bands_in_process, are_sums_of_powers_and_their_logarithms) {
  for (const std::size_t bands : {1, 3, 4, 23, 80}) {
    for (const float amplitude : {0.0F, 1e-6F, 0.02F, 1.0F, 1e9F}) {
      check(log_mel(bands), noise(amplitude));
    }
    short_time_spec plain = log_mel(bands);
    plain.features.has_log = false;
    check(plain, noise(0.3F));
  }
}

TEST(short_time_bands_in_process, keep_what_is_not_finite_in_bands_that_have_it) {
  for (const float other : {1e30F, std::numeric_limits<float>::infinity(), std::nanf("")}) {
    for (const std::size_t k : {0, 57, 200}) {
      row bins = noise(1);
      bins[k] = other;
      check(log_mel(80), bins);
      check(log_mel(7), bins);
    }
  }
}

TEST(short_time_bands_in_process, take_the_logarithm_of_numbers_below_the_normal_ones) {
  short_time_spec spec = log_mel(5);
  spec.features.floor = spec.features.offset = 0;
  check(spec, noise(1e-21F));
  check(spec, row(201));
}

TEST(short_time_bands_in_process, are_made_of_plain_powers_alone) {
  short_time_spec spec = log_mel(5);
  spec.features.exponent = 1;
  EXPECT_FALSE(short_times::bands_in_process(spec));
  spec = log_mel(5);
  spec.features.is_one_sided = true;
  EXPECT_FALSE(short_times::bands_in_process(spec));
  spec = log_mel(5);
  spec.samples = sample_type::fp64;
  EXPECT_FALSE(short_times::bands_in_process(spec));
}

}  // namespace
