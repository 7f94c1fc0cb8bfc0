// SPDX-License-Identifier: Apache-2.0
// Rows transformed by host plans with every instruction set, within the accuracy bounds.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>  // size_t
#include <vector>

#include "guarded_run.hpp"           // guarded_run, expected_row
#include "support/sanitizer.hpp"     // has_thread_sanitizer
#include "support/tolerance.hpp"     // l2_bound, element_bound
#include "wingbeat/good_length.hpp"  // is_good_length

namespace wingbeat::test {

template <class Real>
constexpr precision precision_of = sizeof(Real) == 4 ? precision::fp32 : precision::fp64;

/// Returns the instruction sets to run. All share what runs on several threads, so that the thread
/// sanitizer sees that with one of them, and with fewer lengths.
inline std::vector<backend::host::named_set> checked_sets() {
  const auto sets = backend::host::supported_sets();
  return {sets.begin() + (has_thread_sanitizer ? std::ssize(sets) - 1 : 0), sets.end()};
}

/// Expects the accuracy bounds of all rows taken together, which is what they speak of; 1.3 times
/// those where a chirp is inside. One short row may miss them by chance: alone, it is only held to
/// twice the bound.
template <class Real>
void expect_accurate(const std::vector<exact>& got, const std::vector<exact>& expected,
                     std::size_t n) {
  exact all_got, all_expected;
  const long double bound = (is_good_length(n) ? 1 : 1.3L) * l2_bound<Real>(n);
  for (std::size_t row = 0; row < got.size(); ++row) {
    EXPECT_LE(relative_l2(got[row], expected[row]), 2 * bound) << "row " << row;
    all_got.insert(all_got.end(), got[row].begin(), got[row].end());
    all_expected.insert(all_expected.end(), expected[row].begin(), expected[row].end());
  }
  if (all_got.size() < 256) return;
  EXPECT_LE(relative_l2(all_got, all_expected), bound);
  EXPECT_LE(max_error(all_got, all_expected), element_bound<Real> * largest(all_expected));
}

/// Runs with every instruction set and compares the rows that `is_checked` picks.
template <class Real, class Pick>
void check(const plan_spec& spec, std::size_t offset_elements, Pick is_checked) {
  const auto input = input_noise<Real>(spec);
  std::vector<std::size_t> checked;
  std::vector<exact> expected;
  for (std::size_t row = 0; row < spec.batch; ++row) {
    if (!is_checked(row)) continue;
    checked.push_back(row);
    expected.push_back(expected_row(spec, input, row));
  }
  for (const auto& set : checked_sets()) {
    SCOPED_TRACE(described(set, spec));
    const auto output = guarded_run(set, spec, input, offset_elements * sizeof(Real));
    std::vector<exact> got;
    for (const std::size_t row : checked) got.push_back(row_of(spec, output, row));
    expect_accurate<Real>(got, expected, spec.lengths.front());
  }
}

template <class Real>
void check_all_rows(const plan_spec& spec, std::size_t offset_elements) {
  check<Real>(spec, offset_elements, [](std::size_t) { return true; });
}

/// Rows of each kind, some lengths in place, some at addresses that are aligned to elements alone.
template <class Real>
void check_kinds(std::size_t n, std::size_t batch, scaling scale = scaling::none) {
  for (const transform kind : kinds) {
    check_all_rows<Real>({.lengths = {n},
                          .batch = batch,
                          .kind = kind,
                          .real = precision_of<Real>,
                          .scale = scale,
                          .where = n % 3 == 1 ? placement::in_place : placement::out_of_place},
                         n % 2);
  }
}

/// Expects the same bits again, wherever memory begins.
template <class Real>
void check_repeated(std::size_t n) {
  for (const auto& set : checked_sets()) {
    for (const transform kind : kinds) {
      const plan_spec spec{.lengths = {n}, .batch = 5, .kind = kind, .real = precision_of<Real>};
      const auto input = input_noise<Real>(spec);
      const auto once = guarded_run(set, spec, input);
      for (const std::size_t offset : {0, 1, 4}) {
        const auto again = guarded_run(set, spec, input, offset * sizeof(Real));
        EXPECT_EQ(std::memcmp(once.data(), again.data(), output_bytes(spec)), 0)
            << described(set, spec);
      }
    }
  }
}

/// A wrong index often hides in noise; an impulse, at every `step`-th element, shows the one output
/// it moves.
template <class Real>
void check_impulses(std::size_t n, std::size_t step, long double bound = element_bound<Real>) {
  const plan_spec spec{.lengths = {n}, .real = precision_of<Real>};
  for (const auto& set : checked_sets()) {
    for (std::size_t offset = 0; offset < n; offset += step) {
      std::vector<Real> input(2 * n);
      input[2 * offset] = 1;
      const auto got = row_of(spec, guarded_run(set, spec, input), 0);
      for (std::size_t k = 0; k < n; ++k) {
        const auto root = reference::root_of_unity<long double>(offset * k, n, direction::forward);
        ASSERT_LE(std::abs(got[k] - root), bound)
            << described(set, spec) << " impulse at " << offset << " bin " << k;
      }
    }
  }
}

}  // namespace wingbeat::test
