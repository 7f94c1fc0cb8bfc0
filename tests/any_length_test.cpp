// SPDX-License-Identifier: Apache-2.0
// Label: opencl
// Timeout: 600
// Plans of any length and kind on every engine, against sums in long double.
#include <gtest/gtest.h>

#include <algorithm>  // max
#include <cmath>      // pow, sqrt
#include <vector>

#include "request/traits.hpp"        // kinds, traits_of
#include "support/full_run.hpp"      // is_full_run, runs_all_on, sampled
#include "support/on_engine.hpp"     // all_engines, engine_name, on_engine
#include "support/plan_check.hpp"    // check_plan
#include "support/planned.hpp"       // expected_row, input_noise, row_of
#include "support/tolerance.hpp"     // l2_bound, element_bound
#include "wingbeat/good_length.hpp"  // has_small_factors
#include "wingbeat/wingbeat.hpp"     // buffer, plan

namespace {

using namespace wingbeat;
using namespace wingbeat::test;

using request::kinds;

/// Returns the largest relative L2 error of a row. Few numbers may lose more than their mean, and
/// what a spike loses on its way in is in all elements.
template <class Real>
long double allowed(const plan_spec& spec) {
  const std::size_t n = spec.lengths.front();
  const std::size_t logical = request::traits_of(spec.kind).logical_length(n);
  const long double chirp = good_lengths::has_small_factors(logical) ? 1 : 1.3L;
  const long double few = 1.1L + 1.5L / std::sqrt(static_cast<long double>(n));
  return few * chirp * l2_bound<Real>(std::max<std::size_t>(logical, 2));
}

class any_length : public on_engine {
 protected:
  /// Runs a batch of rows and compares each.
  template <class Real>
  void check_rows(const plan_spec& spec, const std::vector<Real>& x) {
    buffer in{*on, x.size() * sizeof(Real)}, out{*on, output_bytes(spec)};
    in.write(x.data(), in.size_bytes());
    const plan transformed{*on, spec};
    transformed.enqueue(*on, in.view(), out.view());
    std::vector<Real> y(out.size_bytes() / sizeof(Real));
    out.read(y.data(), out.size_bytes());
    for (std::size_t row = 0; row < spec.batch; ++row) {
      const exact expected = expected_row(spec, x, row), got = row_of(spec, y, row);
      EXPECT_LE(relative_l2(got, expected) / allowed<Real>(spec), 1)
          << described(spec) << ", row " << row;
      EXPECT_LE(max_error(got, expected) / largest(expected), element_bound<Real>)
          << described(spec) << ", row " << row;
    }
  }

  template <class Real>
  static plan_spec spec_of(std::size_t n, transform kind, std::size_t batch) {
    return {.lengths = {n},
            .batch = batch,
            .kind = kind,
            .real = sizeof(Real) == sizeof(float) ? precision::fp32 : precision::fp64};
  }

  /// Two rows of noise, with a spike in the second, which a chirp spreads over all elements.
  template <class Real>
  void check(std::size_t n, transform kind) {
    const plan_spec spec = spec_of<Real>(n, kind, 2);
    auto x = input_noise<Real>(spec);
    x[x.size() / 2 + n / 3] = Real(1e4);
    check_rows(spec, x);
  }

  /// As many rows as there are elements, with a one in the place of each.
  template <class Real>
  void check_impulses(std::size_t n, transform kind) {
    const request::domain values = request::traits_of(kind).in;
    const plan_spec spec = spec_of<Real>(n, kind, request::count_of(values, n));
    std::vector<Real> x(input_bytes(spec) / sizeof(Real));
    for (std::size_t row = 0; row < spec.batch; ++row) {
      x[row_reals(spec, true) * row + request::reals_of(values) * row] = 1;
    }
    check_rows(spec, x);
  }

  /// The kind whose turn it is, of engines that compile, in each precision in turns.
  void check_in_turn(std::size_t n) {
    const std::size_t turn = n % std::size(kinds);
    if (n < kinds[turn].min_length()) return;
    if (n / std::size(kinds) % 2 == 1 && on->device().has_fp64) {
      check<double>(n, kinds[turn].kind);
    } else {
      check<float>(n, kinds[turn].kind);
    }
  }

  /// Each kind in both precisions.
  void check_all(std::size_t n) {
    for (const request::traits& kind : kinds) {
      if (n < kind.min_length()) continue;
      check<float>(n, kind.kind);
      if (on->device().has_fp64) check<double>(n, kind.kind);
    }
  }

  [[nodiscard]] bool compiles() const {
    return GetParam() == engine::opencl || GetParam() == engine::cuda;
  }
};

TEST_P(any_length, agrees_with_the_sum_that_defines_it) {
  if (compiles()) {
    for (const std::size_t n : sampled<std::size_t>({17, 37, 257, 1019}, {1, 59})) {
      check<float>(n, transform::forward);
    }
    check<float>(58, transform::inverse_to_real);
    check<float>(74, transform::forward_from_real);
    check<float>(59 * 60, transform::inverse_to_real);  // in two passes, of which the last has 59
    if (on->device().has_fp64) check<double>(41, transform::inverse);
    if (!is_full_run()) return;
  }
  const std::size_t last = is_full_run() ? 4096 : 320;
  for (std::size_t n = 1; n <= last; n += n < 144 || is_full_run() ? 1 : 11) {
    compiles() || (!is_full_run() && n % 4 != 0) ? check_in_turn(n) : check_all(n);
  }
}

/// Lengths with equal ratios, up to what fits some memory, where each differs from the one before
/// in its prime factors.
TEST_P(any_length, beyond_those_of_one_pass) {
  const std::size_t number = is_full_run() ? 500 : 3;
  const double first = 4097, last = is_full_run() ? 1 << 22 : 1 << 14;
  if (leaves_out()) GTEST_SKIP() << "full runs compile these";
  for (std::size_t i = 0; i < number; ++i) {
    const double part = static_cast<double>(i) / static_cast<double>(number - 1);
    check_in_turn(static_cast<std::size_t>(first * std::pow(last / first, part)));
  }
}

TEST_P(any_length, impulses_at_every_place) {
  const std::vector<std::size_t> primes = {17, 19, 23, 29, 31, 37, 59, 127, 131, 257, 509, 1009};
  if (!is_full_run()) {
    if (!leaves_out()) check_impulses<float>(131, transform::forward);
    return check_impulses<float>(37, transform::forward);
  }
  std::vector<std::size_t> lengths = primes;
  for (std::size_t n = 2; lengths.size() < 64; n += 1 + n / 8) lengths.push_back(n);
  for (const std::size_t n : lengths) {
    for (const request::traits& kind : kinds) {
      if (!compiles() || kind.kind == kinds[n % std::size(kinds)].kind) {
        check_impulses<float>(n, kind.kind);
      }
    }
  }
}

/// Two rows of an image may be one of complex numbers, where their number is even. Of the product,
/// engines that compile run each number of rows and each length once.
TEST_P(any_length, of_rows_of_images_of_reals) {
  std::size_t number = 0;
  for (const std::size_t rows : {4, 5}) {
    for (const std::size_t n : {15, 37, 74, 127}) {
      for (const transform kind : {transform::forward_from_real, transform::inverse_to_real}) {
        const bool is_sample = number % 5 == 0;
        ++number;
        if (!is_sample && !runs_all_on(GetParam())) continue;
        const plan_spec spec{.lengths = {rows, n}, .batch = 3, .kind = kind};
        const plan_verdict verdict = check_plan(*on, {.spec = spec});
        EXPECT_EQ(verdict.is, plan_verdict::right) << rows << " x " << n << ": " << verdict.why;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(engines, any_length, all_engines(), engine_name);

}  // namespace
