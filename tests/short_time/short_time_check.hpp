// SPDX-License-Identifier: Apache-2.0
// Short-time transforms, their inverses and gradients on an engine, against their definition.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>  // max, min
#include <complex>
#include <cstddef>  // size_t
#include <cstdint>  // uint32_t, uint64_t
#include <string>
#include <vector>

#include "functors/stored_number.hpp"  // half_float, bfloat
#include "short_time/oracle.hpp"       // short_time_oracle
#include "support/dice.hpp"            // dice
#include "support/signal.hpp"          // fill_noise
#include "wingbeat/buffer.hpp"         // buffer
#include "wingbeat/queue.hpp"          // queue
#include "wingbeat/short_time.hpp"     // short_time

namespace wingbeat::test {

/// A request, its operands, and title the definition makes of them.
class short_time_problem {
 public:
  using numbers = short_time_oracle::numbers;

  short_time_problem(const short_time_spec& request, std::uint64_t seed)
      : definition{request, {request.window.begin(), request.window.end()}, {}}, seed_(seed) {
    const short_time_spec& spec = definition.spec;
    if (definition.window.empty()) {
      for (const auto& weight : noise(spec.weights(), false)) {
        definition.window.push_back(static_cast<float>(0.6L + 0.4L * weight.real()));
      }
    }
    x = noise(spec.batch * spec.length, spec.is_complex());
    for (auto& sample : x) sample = stored(sample);
    for (std::size_t row = 0; row < spec.batch; ++row) {
      const std::size_t shorter = row == 0 ? 0 : (row * 7 + seed) % (spec.length + 1);
      definition.lengths.push_back(spec.is_ragged ? spec.length - shorter : spec.length);
    }
    bins = definition.spectra(x);
    results = definition.made_of(bins);
    of_results = noise(results.size(), spec.features.exponent == 0);
  }

  /// Returns values in [-1, 1], other ones at each call.
  numbers noise(std::size_t count, bool is_complex) {
    std::vector<double> parts(2 * count);
    fill_noise(parts.data(), parts.size(), seed_ * 16 + n_draws_++);
    numbers values;
    for (std::size_t i = 0; i < count; ++i) {
      values.emplace_back(static_cast<float>(parts[2 * i]),
                          is_complex ? static_cast<float>(parts[2 * i + 1]) : 0.0F);
    }
    return values;
  }

  short_time_oracle definition;
  numbers x, bins, results, of_results;

 private:
  /// Returns a sample as it is stored.
  [[nodiscard]] std::complex<long double> stored(std::complex<long double> sample) const {
    const auto value = static_cast<float>(sample.real());
    switch (definition.spec.samples) {
      case sample_type::fp16: return static_cast<float>(device::half_float{value});
      case sample_type::bf16: return static_cast<float>(device::bfloat{value});
      case sample_type::int16: return std::round(value * 20);
      default: return sample;
    }
  }

  std::uint64_t seed_, n_draws_ = 0;
};

/// The runs of a problem on a queue; outputs are first filled with 7.
class short_time_runs {
 public:
  using numbers = short_time_oracle::numbers;

  short_time_runs(queue& on, const short_time_problem& problem)
      : plan(on, problem.definition.spec), problem_(problem), on_(on) {
    const short_time_spec& spec = plan.spec();
    x_ = std::make_unique<buffer>(samples_of(problem.x));
    if (spec.window.empty()) {
      const numbers weights{problem.definition.window.begin(), problem.definition.window.end()};
      window_ = std::make_unique<buffer>(reals_of(weights, false));
      given_.window = window_->view();
    }
    if (spec.is_ragged) {
      const std::vector<std::uint32_t> list{problem.definition.lengths.begin(),
                                            problem.definition.lengths.end()};
      lengths_ = std::make_unique<buffer>(on, list.size() * sizeof(std::uint32_t));
      lengths_->write(list.data(), lengths_->size_bytes());
      given_.lengths = lengths_->view();
    }
  }

  [[nodiscard]] bool has_bins() const { return plan.spec().features.exponent == 0; }
  numbers run() {
    buffer out = untouched(problem_.results.size(), has_bins());
    plan.enqueue(on_, x_->view(), out.view(), given_);
    return read(out, has_bins());
  }
  numbers inverse(const numbers& bins) {
    const buffer in = reals_of(bins, true);
    buffer out = untouched(problem_.x.size(), plan.spec().is_complex());
    plan.enqueue_inverse(on_, in.view(), out.view(), given_);
    return read(out, plan.spec().is_complex());
  }
  numbers gradient() {
    const buffer in = reals_of(problem_.of_results, has_bins());
    buffer out = untouched(problem_.x.size(), plan.spec().is_complex());
    plan.enqueue_gradient(on_, x_->view(), in.view(), out.view(), given_);
    return read(out, plan.spec().is_complex());
  }
  numbers window_gradient() {
    const buffer in = reals_of(problem_.of_results, has_bins());
    buffer out = untouched(problem_.definition.window.size(), false);
    plan.enqueue_window_gradient(on_, x_->view(), in.view(), out.view(), given_);
    return read(out, false);
  }
  numbers inverse_gradient(const numbers& of_samples) {
    const buffer in = reals_of(of_samples, plan.spec().is_complex());
    buffer out = untouched(problem_.bins.size(), true);
    plan.enqueue_inverse_gradient(on_, in.view(), out.view(), given_);
    return read(out, true);
  }

  short_time plan;

 private:
  template <class Stored>
  buffer uploaded(const std::vector<Stored>& list) const {
    buffer memory{on_, list.size() * sizeof(Stored)};
    memory.write(list.data(), memory.size_bytes());
    return memory;
  }
  template <class Stored>
  buffer uploaded_as(const numbers& values, bool are_complex) const {
    std::vector<Stored> list;
    for (const auto& each : values) {
      list.push_back(Stored(static_cast<float>(each.real())));
      if (are_complex) list.push_back(Stored(static_cast<float>(each.imag())));
    }
    return uploaded(list);
  }
  [[nodiscard]] buffer reals_of(const numbers& values, bool are_complex) const {
    if (plan.spec().real() == precision::fp32) return uploaded_as<float>(values, are_complex);
    std::vector<double> list;
    for (const auto& each : values) {
      list.push_back(static_cast<double>(each.real()));
      if (are_complex) list.push_back(static_cast<double>(each.imag()));
    }
    return uploaded(list);
  }
  [[nodiscard]] buffer samples_of(const numbers& x) const {
    switch (plan.spec().samples) {
      case sample_type::fp16: return uploaded_as<device::half_float>(x, false);
      case sample_type::bf16: return uploaded_as<device::bfloat>(x, false);
      case sample_type::int16: return uploaded_as<std::int16_t>(x, false);
      default: return reals_of(x, plan.spec().is_complex());
    }
  }
  [[nodiscard]] buffer untouched(std::size_t count, bool are_complex) const {
    return reals_of(numbers(count, {7, 7}), are_complex);
  }
  template <class Real>
  [[nodiscard]] numbers read_as(const buffer& memory, bool are_complex) const {
    std::vector<Real> list(memory.size_bytes() / sizeof(Real));
    memory.read(list.data(), memory.size_bytes());
    numbers values;
    for (std::size_t i = 0; i < list.size(); i += are_complex ? 2 : 1) {
      values.emplace_back(list[i], are_complex ? list[i + 1] : Real(0));
    }
    return values;
  }
  [[nodiscard]] numbers read(const buffer& memory, bool are_complex) const {
    return plan.spec().real() == precision::fp64 ? read_as<double>(memory, are_complex)
                                                 : read_as<float>(memory, are_complex);
  }

  const short_time_problem& problem_;
  queue& on_;
  std::unique_ptr<buffer> x_, window_, lengths_;
  short_time_operands given_;
};

inline void expect_near(const short_time_oracle::numbers& got,
                        const short_time_oracle::numbers& expected, long double bound,
                        const std::string& title) {
  ASSERT_EQ(got.size(), expected.size()) << title;
  long double largest = 1;  // samples are of that size
  for (const auto& each : expected) largest = std::max(largest, std::abs(each));
  std::size_t n_wrong = 0;
  for (std::size_t i = 0; i < got.size() && n_wrong < 3; ++i) {
    if (std::abs(got[i] - expected[i]) <= bound * largest) continue;
    ++n_wrong;
    ADD_FAILURE() << title << ": element " << i << " of " << got.size() << " is " << got[i]
                  << ", not " << expected[i] << " (largest " << largest << ")";
  }
}

/// Returns the gradient of sum over i of Re(conj(g[i]) f(v)[i]) at the point v that `chosen` has,
/// by differences; others are 0.
template <class Function>
short_time_oracle::numbers gradient_by_differences(const short_time_oracle::numbers& point,
                                                   const short_time_oracle::numbers& g,
                                                   bool are_complex,
                                                   const std::vector<std::size_t>& chosen,
                                                   const Function& function) {
  constexpr long double step = 1e-7L;
  const auto value = [&](const short_time_oracle::numbers& v) {
    const short_time_oracle::numbers f = function(v);
    long double sum = 0;
    for (std::size_t i = 0; i < f.size(); ++i) sum += (std::conj(g[i]) * f[i]).real();
    return sum;
  };
  short_time_oracle::numbers gradient(point.size());
  for (const std::size_t i : chosen) {
    const auto slope = [&](std::complex<long double> direction) {
      short_time_oracle::numbers before = point, behind = point;
      before[i] -= step * direction;
      behind[i] += step * direction;
      return (value(behind) - value(before)) / (2 * step);
    };
    gradient[i] = {slope({1, 0}), are_complex ? slope({0, 1}) : 0};
  }
  return gradient;
}

/// Returns at most 12 different indices below n.
inline std::vector<std::size_t> some_of(std::size_t n, std::uint64_t seed) {
  std::vector<std::size_t> chosen;
  dice draw{seed};
  for (std::size_t i = 0; i < n; ++i) {
    if (n <= 12 || i == 0 || i + 1 == n || draw.below(n) < 10) chosen.push_back(i);
  }
  return chosen;
}

inline void expect_gradient(const short_time_oracle::numbers& got,
                            const short_time_oracle::numbers& expected,
                            const std::vector<std::size_t>& chosen, long double bound,
                            const std::string& title) {
  short_time_oracle::numbers of_chosen, expected_of;
  for (const std::size_t i : chosen) {
    of_chosen.push_back(got.at(i));
    expected_of.push_back(expected[i]);
  }
  expect_near(of_chosen, expected_of, bound, title);
}

/// Checks all runs that a spec plans.
inline void check_short_time(queue& on, const short_time_spec& spec, std::uint64_t seed = 1) {
  short_time_problem problem{spec, seed};
  short_time_runs runs{on, problem};
  const short_time_oracle& definition = problem.definition;
  const bool is_double = spec.real() == precision::fp64;
  const long double bound = is_double ? 2e-13L : 4e-5L;
  const long double gradient_bound = is_double ? 1e-9L : 4e-4L;
  const auto got = runs.run();
  expect_near(got, problem.results, bound, "results");
  EXPECT_EQ(runs.run(), got) << "runs differ";
  short_time_oracle::numbers given;
  if (spec.has_inverse) {
    given = problem.noise(problem.bins.size(), true);
    expect_near(runs.inverse(given), definition.inverse(given), bound, "inverse");
  }
  if (!spec.has_gradients) return;
  const auto of_x = some_of(problem.x.size(), seed);
  expect_gradient(runs.gradient(),
                  gradient_by_differences(problem.x, problem.of_results, spec.is_complex(), of_x,
                                          [&](const auto& x) { return definition.results(x); }),
                  of_x, gradient_bound, "gradient of samples");
  const short_time_oracle::numbers window{definition.window.begin(), definition.window.end()};
  const auto of_window = some_of(window.size(), seed + 1);
  short_time_oracle changed = definition;
  expect_gradient(runs.window_gradient(),
                  gradient_by_differences(window, problem.of_results, false, of_window,
                                          [&](const auto& w) {
                                            for (std::size_t j = 0; j < w.size(); ++j)
                                              changed.window[j] = w[j].real();
                                            return changed.results(problem.x);
                                          }),
                  of_window, gradient_bound, "gradient of the window");
  if (!spec.has_inverse) return;
  const auto of_samples = problem.noise(problem.x.size(), spec.is_complex());
  const auto of_bins = some_of(problem.bins.size(), seed + 2);
  expect_gradient(runs.inverse_gradient(of_samples),
                  gradient_by_differences(given, of_samples, true, of_bins,
                                          [&](const auto& z) { return definition.inverse(z); }),
                  of_bins, gradient_bound, "gradient of spectra");
}

}  // namespace wingbeat::test
