// SPDX-License-Identifier: Apache-2.0
#include "channelising/arithmetic/between_launches.hpp"

#include <algorithm>  // max
#include <bit>        // bit_width
#include <cmath>      // abs, ceil, ldexp, log2, sqrt

#include "channelising/arithmetic/narrowband.hpp"  // filter_taps
#include "channelising/arithmetic/weights.hpp"     // filter_weights
#include "channelising/spec.hpp"                   // pass_edge

namespace wingbeat::channelising {
namespace {

constexpr int largest_exponent = 15;  ///< fp16 holds 2^15; 2^16 is infinite.

/// Returns the largest magnitude of the bank's input.
double peak_of(const channeliser_spec& spec, const channeliser_sizes& sizes) {
  double peak = std::ldexp(1, static_cast<int>(spec.sample_bits) - 1);
  if (spec.complex_samples) return std::sqrt(2.0) * peak;
  if (!spec.narrowband) return peak;
  double sum = 0;
  for (const double h : filter_taps({sizes.filter_taps, sizes.subsampling, pass_edge(spec)})) {
    sum += std::abs(h);
  }
  return sum * peak;
}

/// Returns the largest sum of magnitudes over the taps of a position.
double largest_sum(const channeliser_spec& spec, const channeliser_sizes& sizes) {
  const auto weights =
      filter_weights({sizes.transform, spec.taps, spec.window, spec.weight_cutoff});
  double largest = 0;
  for (std::size_t j = 0; j < sizes.transform; ++j) {
    double sum = 0;
    for (std::size_t m = 0; m < spec.taps; ++m) sum += std::abs(weights[m * sizes.transform + j]);
    largest = std::max(largest, sum);
  }
  return largest;
}

}  // namespace

between_launches between_launches_of(const channeliser_spec& spec) {
  if (spec.between != precision::fp16) return {};
  const channeliser_sizes sizes = sizes_of(spec);
  const double bound = peak_of(spec, sizes) * largest_sum(spec, sizes);
  const int sum_exponent = largest_exponent - static_cast<int>(std::ceil(std::log2(bound)));
  const int of_length = static_cast<int>(std::bit_width(sizes.transform - 1));
  return {.stored = precision::fp16,
          .sum_exponent = spec.narrowband ? 0 : sum_exponent,
          .bin_exponent = sum_exponent - of_length};
}

}  // namespace wingbeat::channelising
