// SPDX-License-Identifier: Apache-2.0
#include "short_time/tables.hpp"

#include <complex>

#include "wingbeat/roots.hpp"  // root

namespace wingbeat::short_times {

using programs::constant;

std::size_t phase_of(const short_time_spec& spec) {
  const auto n = static_cast<std::ptrdiff_t>(spec.n_fft);
  return static_cast<std::size_t>((spec.phase_origin % n + n) % n);
}

constant reals_of(const short_time_spec& spec, const std::vector<double>& values) {
  if (spec.real() == precision::fp64) return constant{values};
  return constant{std::vector<float>(values.begin(), values.end())};
}

table_list roots_of(const short_time_spec& spec) {
  if (phase_of(spec) == 0) return {};
  std::vector<double> parts;
  for (std::size_t k = 0; k < spec.n_fft; ++k) {
    const std::complex<double> each{root(k, spec.n_fft)};
    parts.insert(parts.end(), {each.real(), -each.imag()});
  }
  return {reals_of(spec, parts)};
}

table_list bands_of(const short_time_spec& spec) {
  const std::size_t n_bins = spec.bins();
  std::vector<unsigned> first_bins, begins{0};
  std::vector<double> weights;
  for (std::size_t band = 0; band < spec.features.bands; ++band) {
    const double* const row = spec.features.weights.data() + band * n_bins;
    std::size_t first = 0, end = n_bins;
    while (first < end && row[first] == 0) ++first;
    while (end > first && row[end - 1] == 0) --end;
    first_bins.push_back(static_cast<unsigned>(first));
    weights.insert(weights.end(), row + first, row + end);
    begins.push_back(static_cast<unsigned>(weights.size()));
  }
  if (weights.empty()) weights.push_back(0);
  return {constant{first_bins}, constant{begins}, reals_of(spec, weights)};
}

table_list bands_of_bins(const short_time_spec& spec) {
  const std::size_t n_bins = spec.bins();
  std::vector<unsigned> begins{0}, numbers;
  std::vector<double> weights;
  for (std::size_t k = 0; k < n_bins; ++k) {
    for (std::size_t band = 0; band < spec.features.bands; ++band) {
      const double weight = spec.features.weights[band * n_bins + k];
      if (weight == 0) continue;
      numbers.push_back(static_cast<unsigned>(band));
      weights.push_back(weight);
    }
    begins.push_back(static_cast<unsigned>(weights.size()));
  }
  if (weights.empty()) {
    numbers.push_back(0);
    weights.push_back(0);
  }
  return {constant{begins}, constant{numbers}, reals_of(spec, weights)};
}

}  // namespace wingbeat::short_times
