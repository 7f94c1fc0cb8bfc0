// SPDX-License-Identifier: Apache-2.0
// What a plan is given in a test, and exactly what it should deliver.
#pragma once

#include <algorithm>  // min
#include <cstddef>    // size_t
#include <optional>
#include <string>
#include <vector>

#include "reference/axis.hpp"       // axis
#include "reference/real_axis.hpp"  // real_axis
#include "request/resolved.hpp"     // factor_of
#include "request/traits.hpp"       // traits_of
#include "support/oracle.hpp"       // exact
#include "support/signal.hpp"       // fill_noise
#include "wingbeat/plan.hpp"        // plan_spec

namespace wingbeat::test {

/// Returns numbers from one row to the next, on the side of the input or of the output.
inline std::size_t row_reals(const plan_spec& spec, bool is_input) {
  plan_spec single = spec, two = spec;
  single.batch = 1;
  two.batch = 2;
  const std::size_t bytes =
      is_input ? input_bytes(two) - input_bytes(single) : output_bytes(two) - output_bytes(single);
  return bytes / (spec.real == precision::fp32 ? 4 : 8);
}

template <class Real>
std::vector<Real> input_noise(const plan_spec& spec) {
  std::vector<Real> x(input_bytes(spec) / sizeof(Real));
  fill_noise(x.data(), x.size(), spec.lengths.front() + spec.batch);
  return x;
}

/// The exact outputs of a plan's rows: bins, or real numbers as complex ones.
class row_oracle {
 public:
  explicit row_oracle(const plan_spec& spec)
      : n_(spec.lengths.front()),
        input_step_(row_reals(spec, true)),
        kind_(request::traits_of(spec.kind)),
        factor_(request::factor_of(spec)) {
    if (kind_.is_real_to_real()) {
      reals_.emplace(kind_, n_, spec.orthogonalize);
    } else {
      points_.emplace(n_, kind_.is_forward ? direction::forward : direction::inverse);
    }
  }

  template <class Real>
  [[nodiscard]] exact operator()(const std::vector<Real>& input, std::size_t row) const {
    const Real* source = input.data() + input_step_ * row;
    exact x(n_);
    for (std::size_t j = 0; j < n_; ++j) {
      if (kind_.in == request::domain::real) {
        x[j] = source[j];
      } else if (kind_.in == request::domain::complex) {
        x[j] = {source[2 * j], source[2 * j + 1]};
      } else {
        const std::size_t k = std::min(j, n_ - j);
        const long double im = k == 0 || 2 * k == n_ ? 0 : source[2 * k + 1];
        x[j] = {source[2 * k], j == k ? im : -im};
      }
    }
    reals_ ? (*reals_)(x, 1) : (*points_)(x, 1);
    x.resize(request::count_of(kind_.out, n_));
    for (auto& z : x) z *= factor_;
    return x;
  }

 private:
  std::size_t n_, input_step_;
  request::traits kind_;
  long double factor_;
  std::optional<reference::real_axis> reals_;
  std::optional<reference::axis> points_;
};

template <class Real>
exact expected_row(const plan_spec& spec, const std::vector<Real>& input, std::size_t row) {
  return row_oracle{spec}(input, row);
}

/// Returns row `row` of an output in the form of expected_row.
template <class Real>
exact row_of(const plan_spec& spec, const std::vector<Real>& output, std::size_t row) {
  const Real* source = output.data() + row_reals(spec, false) * row;
  const std::size_t n = spec.lengths.front();
  const request::domain values = request::traits_of(spec.kind).out;
  if (values == request::domain::real) return exact(source, source + n);
  exact y;
  for (std::size_t k = 0; k < request::count_of(values, n); ++k) {
    y.emplace_back(source[2 * k], source[2 * k + 1]);
  }
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
