// SPDX-License-Identifier: Apache-2.0
// Label: opencl
// Timeout: 600
// Plans of any length on every engine, against sums in long double, with one large number among
// noise too, which a convolution with a chirp spreads over all bins.
#include <gtest/gtest.h>

#include <complex>
#include <vector>

#include "support/full_run.hpp"    // is_full_run, runs_all_on, sampled
#include "support/on_engine.hpp"   // all_engines, engine_name, on_engine
#include "support/plan_check.hpp"  // check_plan
#include "support/planned.hpp"     // expected_row, input_noise
#include "support/tolerance.hpp"   // l2_bound, element_bound
#include "wingbeat/wingbeat.hpp"   // buffer, plan

namespace {

using namespace wingbeat;
using namespace wingbeat::test;

constexpr transform kinds[] = {transform::forward, transform::inverse, transform::forward_from_real,
                               transform::inverse_to_real};

class any_length : public on_engine {
 protected:
  /// Runs a batch of two, with a spike in the second, and compares both.
  template <class Real>
  void check(std::size_t n, transform kind) {
    const plan_spec spec{.lengths = {n},
                         .batch = 2,
                         .kind = kind,
                         .real = sizeof(Real) == sizeof(float) ? precision::fp32 : precision::fp64};
    auto x = input_noise<Real>(spec);
    x[x.size() / 2 + n / 3] = Real(1e4);
    buffer in{*on, x.size() * sizeof(Real)}, out{*on, output_bytes(spec)};
    in.write(x.data(), in.size_bytes());
    const plan transformed{*on, spec};
    transformed.enqueue(*on, in.view(), out.view());
    std::vector<Real> y(out.size_bytes() / sizeof(Real));
    out.read(y.data(), out.size_bytes());
    for (std::size_t row = 0; row < 2; ++row) {
      const exact expected = expected_row(spec, x, row);
      const bool is_real = kind == transform::inverse_to_real;
      exact got;
      for (std::size_t k = 0; k < expected.size(); ++k) {
        const std::size_t place = row * expected.size() + k;
        got.push_back(is_real ? std::complex<long double>{y[place]}
                              : std::complex<long double>{y[2 * place], y[2 * place + 1]});
      }
      // One short row may miss the bound, which speaks of many rows.
      const long double few = n < 128 ? 2 : 1.2L;
      EXPECT_LE(relative_l2(got, expected), few * 1.3L * l2_bound<Real>(n + 1))
          << n << ", " << name_of(kind) << ", row " << row;
      EXPECT_LE(max_error(got, expected), element_bound<Real> * largest(expected))
          << n << ", " << name_of(kind) << ", row " << row;
    }
  }
};

TEST_P(any_length, agrees_with_the_sum_that_defines_it) {
  const bool compiles = GetParam() == engine::opencl || GetParam() == engine::cuda;
  if (compiles) {
    for (const std::size_t n : sampled<std::size_t>({17, 37, 257, 1019}, {1, 59})) {
      check<float>(n, transform::forward);
    }
    check<float>(58, transform::inverse_to_real);
    check<float>(74, transform::forward_from_real);
    check<float>(59 * 60, transform::inverse_to_real);  // in two passes, of which the last has 59
    if (on->device().has_fp64) check<double>(41, transform::inverse);
    if (!is_full_run()) return;
  }
  std::size_t last = 320;
  if (is_full_run()) last = compiles ? 600 : 4200;
  for (std::size_t n = 1; n <= last; n += n < 144 || is_full_run() ? 1 : 11) {
    for (const transform kind : kinds) {
      check<float>(n, kind);
      if (on->device().has_fp64) check<double>(n, kind);
    }
  }
  for (const std::size_t n : {1009, 2053, 4093, 10007}) check<float>(n, kinds[n % 4]);
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
