// SPDX-License-Identifier: Apache-2.0
// Plans of one axis that every engine makes, each checked as support/plan_check.hpp says: lengths,
// batches, impulses, threads that share a plan.
#pragma once

#include <gtest/gtest.h>

#include <complex>
#include <thread>  // jthread
#include <vector>

#include "reference/root_of_unity.hpp"  // root_of_unity
#include "support/memory.hpp"           // contents, filled, transformed
#include "support/plan_check.hpp"       // expect_right_plan
#include "support/signal.hpp"           // real_noise
#include "support/tolerance.hpp"        // element_bound
#include "wingbeat/wingbeat.hpp"

namespace wingbeat::test {

inline constexpr transform kinds_with_bins[] = {transform::forward, transform::inverse,
                                                transform::forward_from_real,
                                                transform::inverse_to_real};

/// A length of every kind and precision, in place and out of place; where not all are wanted, two
/// kinds in fp32 and the others in fp64.
inline void check_length(queue& on, std::size_t n, bool wants_all = true) {
  for (const precision real : {precision::fp32, precision::fp64}) {
    if (real == precision::fp64 && !on.device().has_fp64) continue;
    for (const transform kind : kinds_with_bins) {
      const bool is_forward = kind == transform::forward || kind == transform::forward_from_real;
      if (!wants_all && is_forward != (real == precision::fp32)) continue;
      const std::size_t batch = n >= 4096 ? 3 : 1 + 4096 / n;
      plan_spec spec{.lengths = {n}, .batch = batch, .kind = kind, .real = real};
      if (wants_all || is_forward) expect_right_plan(on, spec, n % 3);
      if (!wants_all && is_forward) continue;
      spec.where = placement::in_place;
      spec.scale = n % 3 == 1 ? scaling::by_length : scaling::by_sqrt_length;
      expect_right_plan(on, spec);
      if (::testing::Test::HasFailure()) return;
    }
  }
}

/// Batches that do not fill the last workgroup, or the last vectors.
inline void check_batches(queue& on, const std::vector<std::size_t>& lengths,
                          precision real = precision::fp32) {
  for (const std::size_t batch : {1, 2, 3, 4, 17, 259}) {
    for (const std::size_t n : lengths) {
      for (const transform kind :
           {transform::forward, transform::forward_from_real, transform::inverse_to_real}) {
        expect_right_plan(on, {.lengths = {n}, .batch = batch, .kind = kind, .real = real},
                          batch % 4);
      }
    }
  }
}

/// An impulse at every `step`-th position, one row each: a wrong index often hides in noise.
template <class Real = float>
void check_impulses(queue& on, std::size_t n, std::size_t step = 1,
                    long double bound = element_bound<Real>) {
  const std::size_t rows = (n + step - 1) / step;
  const plan_spec spec{
      .lengths = {n}, .batch = rows, .real = sizeof(Real) == 4 ? precision::fp32 : precision::fp64};
  std::vector<Real> input(2 * n * rows);
  for (std::size_t row = 0; row < rows; ++row) input[2 * (row * n + row * step)] = 1;
  const auto output = transformed(on, spec, input);
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t k = 0; k < n; ++k) {
      const auto root =
          reference::root_of_unity<long double>(row * step * k, n, direction::forward);
      const std::complex<long double> got{output[2 * (row * n + k)], output[2 * (row * n + k) + 1]};
      ASSERT_LE(std::abs(got - root), bound)
          << "length " << n << " impulse at " << row * step << " bin " << k;
    }
  }
}

/// An impulse in a row that is too long to sum: bins that are a prime number apart. Each has the
/// roundings of the roots of all stages, where noise averages them.
template <class Real>
void check_long_row(queue& on, std::size_t n) {
  const std::size_t position = n / 3;
  std::vector<Real> input(2 * n);
  input[2 * position] = 1;
  const precision real = sizeof(Real) == 4 ? precision::fp32 : precision::fp64;
  const auto output = transformed(on, {.lengths = {n}, .real = real}, input);
  for (std::size_t k = 0; k < n; k += 127) {
    const auto root = reference::root_of_unity<long double>(position * k, n, direction::forward);
    const std::complex<long double> got{output[2 * k], output[2 * k + 1]};
    ASSERT_LE(std::abs(got - root), 16 * unit_roundoff<Real>) << "length " << n << " bin " << k;
  }
}

/// Four threads on two queues run one plan of two passes: its workspace is what they could trample.
inline void check_threads(queue first, queue second) {
  const plan_spec spec{.lengths = {std::size_t{1} << 17}, .batch = 2};
  const plan planned{first, spec};
  second.reserve(planned.workspace_bytes());
  const auto input = real_noise<float>(input_bytes(spec) / sizeof(float), 1);
  const auto expected = transformed(first, spec, input);
  std::vector<std::jthread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      queue mine = t % 2 == 0 ? first : second;
      const buffer in = filled(mine, input), out{mine, output_bytes(spec)};
      for (int run = 0; run < 5; ++run) {
        planned.enqueue(mine, in.view(), out.view());
        EXPECT_EQ(contents<float>(out), expected) << "thread " << t << " run " << run;
      }
    });
  }
}

}  // namespace wingbeat::test
