// SPDX-License-Identifier: Apache-2.0
// What a plan is given in a test, and exactly what it should deliver.
#pragma once

#include <algorithm>  // min
#include <cmath>      // sqrt
#include <cstddef>    // size_t
#include <string>
#include <vector>

#include "support/oracle.hpp"  // dft, exact
#include "support/signal.hpp"  // fill_noise
#include "wingbeat/plan.hpp"   // plan_spec

namespace wingbeat::test {

/// Returns numbers from one row to the next, on the side of the input or of the output.
inline std::size_t row_reals(const plan_spec& spec, bool is_input) {
  plan_spec one = spec, two = spec;
  one.batch = 1;
  two.batch = 2;
  const std::size_t bytes =
      is_input ? input_bytes(two) - input_bytes(one) : output_bytes(two) - output_bytes(one);
  return bytes / (spec.real == precision::fp32 ? 4 : 8);
}

template <class Real>
std::vector<Real> input_noise(const plan_spec& spec) {
  std::vector<Real> x(input_bytes(spec) / sizeof(Real));
  fill_noise(x.data(), x.size(), spec.lengths.front() + spec.batch);
  return x;
}

/// Returns the exact output of row `row`: bins, or real numbers as complex ones.
template <class Real>
exact expected_row(const plan_spec& spec, const std::vector<Real>& input, std::size_t row) {
  const std::size_t n = spec.lengths.front();
  const Real* source = input.data() + row_reals(spec, true) * row;
  const bool is_bins_to_real = spec.kind == transform::inverse_to_real;
  exact x(n);
  for (std::size_t j = 0; j < n; ++j) {
    if (spec.kind == transform::forward_from_real) {
      x[j] = source[j];
    } else if (!is_bins_to_real) {
      x[j] = {source[2 * j], source[2 * j + 1]};
    } else {
      const std::size_t k = std::min(j, n - j);
      const long double im = k == 0 || 2 * k == n ? 0 : source[2 * k + 1];
      x[j] = {source[2 * k], j == k ? im : -im};
    }
  }
  const bool is_forward =
      spec.kind == transform::forward || spec.kind == transform::forward_from_real;
  exact y = dft(x, is_forward ? direction::forward : direction::inverse);
  if (spec.kind == transform::forward_from_real) y.resize(n / 2 + 1);
  const auto length = static_cast<long double>(n);
  const long double factor = spec.scale == scaling::none        ? 1
                             : spec.scale == scaling::by_length ? 1 / length
                                                                : 1 / std::sqrt(length);
  for (auto& z : y) z *= factor;
  return y;
}

/// Returns row `row` of an output in the form of expected_row.
template <class Real>
exact row_of(const plan_spec& spec, const std::vector<Real>& output, std::size_t row) {
  const Real* source = output.data() + row_reals(spec, false) * row;
  const std::size_t n = spec.lengths.front();
  exact y;
  if (spec.kind == transform::inverse_to_real) {
    y.assign(source, source + n);
    return y;
  }
  const std::size_t bins = spec.kind == transform::forward_from_real ? n / 2 + 1 : n;
  for (std::size_t k = 0; k < bins; ++k) y.emplace_back(source[2 * k], source[2 * k + 1]);
  return y;
}

/// Says what a plan is, for the message of a failure.
inline std::string described(const plan_spec& spec) {
  return std::string{name_of(spec.kind)} + " " + std::string{name_of(spec.real)} + " scaling " +
         std::string{name_of(spec.scale)} + " length " + std::to_string(spec.lengths.front()) +
         " batch " + std::to_string(spec.batch) +
         (spec.where == placement::in_place ? " in place" : " out of place");
}

}  // namespace wingbeat::test
