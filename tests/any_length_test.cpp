// SPDX-License-Identifier: Apache-2.0
// Label: opencl
// Timeout: 600
// Plans of any length and kind on every engine, against sums in long double. Each test says what it
// checked, and how much of its bound the largest error of each signal had: support/share.hpp deals
// the lengths of full runs to processes. Of lengths beyond 2^17 a few elements are summed, and the
// opposite transform brings back all.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>  // max
#include <cmath>      // pow, sqrt
#include <cstdio>     // puts
#include <string>
#include <vector>

#include "request/traits.hpp"        // kinds, traits_of
#include "support/few_elements.hpp"  // element_by_definition, split_roots
#include "support/full_run.hpp"      // is_full_run, runs_all_on, sampled
#include "support/memory.hpp"        // transformed
#include "support/on_engine.hpp"     // all_engines, engine_name, on_engine
#include "support/plan_check.hpp"    // expect_right_plan
#include "support/planned.hpp"       // row_oracle, input_noise, row_of
#include "support/share.hpp"         // coverage, has_time, is_dealt
#include "support/tolerance.hpp"     // l2_bound, element_bound
#include "wingbeat/good_length.hpp"  // has_small_factors
#include "wingbeat/wingbeat.hpp"     // plan

namespace {

using namespace wingbeat;
using namespace wingbeat::test;

using request::kinds;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

/// Returns what the bounds of good lengths are multiplied by.
long double chirp_factor(const plan_spec& spec) {
  const std::size_t n = spec.lengths.front();
  const bool is_good =
      good_lengths::has_small_factors(request::traits_of(spec.kind).logical_length(n));
  return is_good ? 1 : 1.3L;
}

/// Returns the largest relative L2 error of long rows of noise.
template <class Real>
long double noise_bound(const plan_spec& spec) {
  const std::size_t logical = request::traits_of(spec.kind).logical_length(spec.lengths.front());
  return chirp_factor(spec) * l2_bound<Real>(std::max<std::size_t>(logical, 2));
}

/// Returns how much more a row of n points may have. Few numbers may lose more than their mean, and
/// what a spike loses on its way in is in all elements: of 106,000 rows three had 1.13 to 1.18.
long double allowed(std::size_t n, bool is_spike) {
  return (is_spike ? 1.25L : 1) + 1.5L / std::sqrt(static_cast<long double>(n));
}

class any_length : public on_engine {
 protected:
  void TearDown() override {
    if (seen.n_rows() > 0)
      std::puts((engine_name({GetParam(), 0}) + ": " + seen.sentence()).c_str());
  }

  /// Notes the share that an error has of its bound.
  void note(const std::string& error, long double share, const plan_spec& spec) {
    seen.largest(error).add(share, [&] { return described(spec); });
  }

  /// Runs a batch of rows, of the signals named, and compares each.
  template <class Real>
  void check_rows(const plan_spec& spec, const std::vector<Real>& x,
                  const std::vector<std::string>& names) {
    const std::vector<Real> y = transformed(*on, spec, x);
    const row_oracle oracle{spec};
    for (std::size_t row = 0; row < spec.batch; ++row) {
      const exact expected = oracle(x, row), got = row_of(spec, y, row);
      const std::string& name = names[std::min(row, names.size() - 1)];
      const long double error = relative_l2(got, expected) / noise_bound<Real>(spec);
      const long double of_element =
          max_error(got, expected) / largest(expected) / (element_bound<Real> * chirp_factor(spec));
      seen.add_row();
      note(name, error, spec);
      note("an element", of_element, spec);
      EXPECT_LE(error, allowed(spec.lengths.front(), name != "noise"))
          << described(spec) << ", " << name;
      EXPECT_LE(of_element, 1) << described(spec) << ", " << name;
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
    check_rows(spec, x, {"noise", "a spike"});
  }

  /// A row of noise, with a spike where n is odd, of which some elements are summed, and which its
  /// opposite brings back.
  template <class Real>
  void check_long(std::size_t n, transform kind) {
    plan_spec spec = spec_of<Real>(n, kind, 1);
    const request::traits& of_kind = request::traits_of(kind);
    auto x = input_noise<Real>(spec);
    const bool is_spike = n % 2 == 1;
    const std::string name = is_spike ? "a spike" : "noise";
    if (is_spike) x[x.size() / 3] = Real(1e4);
    if (of_kind.in == request::domain::hermitian) {
      x[1] = 0;  // what is not read does not come back
      if (n % 2 == 0) x.back() = 0;
    }
    const auto expect_within = [&](const std::string& part, long double error, std::size_t count) {
      const long double share = error / noise_bound<Real>(spec);
      note(name + ", " + part, share, spec);
      EXPECT_LE(share, allowed(count, is_spike)) << described(spec) << ", " << name << ", " << part;
    };
    auto y = transformed(*on, spec, x);
    seen.add_row();
    expect_within("some elements", error_of_some(of_kind, n, x, y), 6);
    spec.kind = of_kind.opposite;
    y = transformed(*on, spec, y);
    long double off = 0, energy = 0;
    for (std::size_t j = 0; j < x.size(); ++j) {
      const long double back = y[j] / static_cast<long double>(of_kind.logical_length(n));
      off += (back - x[j]) * (back - x[j]);
      energy += static_cast<long double>(x[j]) * x[j];
    }
    expect_within("there and back", std::sqrt(off / energy / 2), n);
  }

  /// Returns the error of six elements relative to as many of their row's size.
  template <class Real>
  static long double error_of_some(const request::traits& kind, std::size_t n,
                                   const std::vector<Real>& x, const std::vector<Real>& y) {
    const split_roots roots{kind.order(n),
                            kind.is_forward ? direction::forward : direction::inverse};
    const bool is_real = kind.out == request::domain::real;
    const std::size_t count = request::count_of(kind.out, n);
    long double off = 0, size = 0, energy = 0;
    for (const long double part : {0.0L, 0.137L, 0.333L, 0.501L, 0.78L, 0.99999L}) {
      const auto k = static_cast<std::size_t>(part * static_cast<long double>(count));
      const auto expected = element_by_definition(kind, n, x.data(), roots, k);
      off += std::norm(expected - (is_real ? exact::value_type(y[k])
                                           : exact::value_type(y[2 * k], y[2 * k + 1])));
      size += std::norm(expected);
    }
    for (const Real each : y) energy += static_cast<long double>(each) * each;
    return std::sqrt(off / std::max(size, 6 * energy / static_cast<long double>(count)));
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
    check_rows(spec, x, {"an impulse"});
  }

  /// The kind and precision whose turn it is: 26 turns are each of both.
  void check_in_turn(std::size_t n) {
    const std::size_t later = n + from_environment("WINGBEAT_TEST_TURN", 0);
    const request::traits& turn = kinds[later % std::size(kinds)];
    const transform kind = turn.kind;
    if (n < turn.min_length()) return;
    seen.add_length(n);
    if (later / std::size(kinds) % 2 == 1 && on->device().has_fp64) {
      n > longest_row ? check_long<double>(n, kind) : check<double>(n, kind);
    } else {
      n > longest_row ? check_long<float>(n, kind) : check<float>(n, kind);
    }
  }

  /// Each kind in both precisions.
  void check_all(std::size_t n) {
    seen.add_length(n);
    for (const request::traits& kind : kinds) {
      if (n < kind.min_length()) continue;
      check<float>(n, kind.kind);
      if (on->device().has_fp64) check<double>(n, kind.kind);
    }
  }

  [[nodiscard]] bool compiles() const {
    return GetParam() == engine::opencl || GetParam() == engine::cuda;
  }

  /// Of which all elements are compared.
  static constexpr std::size_t longest_row = std::size_t{1} << 17;

  coverage seen;
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
  const std::size_t last = std::min<std::size_t>(from_environment("WINGBEAT_TEST_LAST", 4096),
                                                 is_full_run() ? 4096 : 320);
  for (std::size_t n = from_environment("WINGBEAT_TEST_FIRST", 1); n <= last;
       n += n < 144 || is_full_run() ? 1 : 11) {
    if (!is_dealt(n) || !has_time()) continue;
    compiles() || (!is_full_run() && n % 4 != 0) ? check_in_turn(n) : check_all(n);
  }
}

/// Lengths with equal ratios, up to what fits some memory, where each differs from the one before
/// in its prime factors.
TEST_P(any_length, beyond_those_of_one_pass) {
  const std::size_t number = is_full_run() ? 500 : 3;
  const double first = 4097, last = is_full_run() ? 1 << 28 : 1 << 14;
  const std::size_t shortest = from_environment("WINGBEAT_TEST_FIRST", 1);
  const std::size_t longest = from_environment("WINGBEAT_TEST_LAST", 1 << 22);
  if (leaves_out()) GTEST_SKIP() << "full runs compile these";
  for (std::size_t i = 0; i < number; ++i) {
    const double part = static_cast<double>(i) / static_cast<double>(number - 1);
    const auto n = static_cast<std::size_t>(first * std::pow(last / first, part));
    if (n < shortest || n > longest || !is_dealt(i) || !has_time()) continue;
    check_in_turn(n);
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
    if (!is_dealt(n) || !has_time()) continue;
    seen.add_length(n);
    for (const request::traits& kind : kinds) {
      if (has_time() && (!compiles() || kind.kind == kinds[n % std::size(kinds)].kind)) {
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
        expect_right_plan(*on, {.lengths = {rows, n}, .batch = 3, .kind = kind});
      }
    }
  }
}

/// Behind preparation, too, which frees the numbers of both.
TEST_P(any_length, says_which_algorithm_and_why) {
  const auto words = [&](std::size_t n, transform kind) {
    return plan{*on, {.lengths = {n}, .kind = kind}}.explain();
  };
  if (GetParam() == engine::reference) {
    EXPECT_THAT(words(202, transform::forward),
                HasSubstr("factors above 100 by Bluestein's chirp"));
    return;
  }
  for (const transform kind : {transform::forward, transform::inverse_to_real, transform::dct2}) {
    const std::string text = words(compiles() ? 37 : 2017, kind);
    if (GetParam() == engine::cuda) {
      // A GPU makes few rows by what it expects to take less time.
      EXPECT_THAT(text, ContainsRegex("by (Rader's algorithm within 36( reals)? \\(37 is prime, 36|"
                                      "Bluestein's chirp within [0-9]+ \\(expected to take less "
                                      "time than Rader's algorithm\\))"));
    } else {
      EXPECT_THAT(text,
                  ContainsRegex(compiles() ? "by Rader's algorithm within 36( reals)? \\(37 is "
                                             "prime, 36"
                                           : "by Rader's algorithm within 2016 \\(2017 is prime, "
                                             "2016 "));
    }
    // Reals may be padded in Rader's order too.
    EXPECT_THAT(words(149, kind),
                ContainsRegex("by (Bluestein's chirp within [0-9]+|Rader's algorithm within [0-9]+ "
                              "reals) \\(149 is prime, 148 has the factor 37\\)"));
  }
  if (compiles()) return;
  EXPECT_THAT(words(65537, transform::forward),
              HasSubstr("(65537 points outgrow the inner cache)"));
  const plan columns{*on, {.lengths = {149, 8}}};
  EXPECT_THAT(columns.explain(), HasSubstr("columns of 149 points by Bluestein's chirp within "));
}

/// The library's own load and store stand at the ends of reals.
TEST_P(any_length, says_yours_of_no_functor_that_nobody_gave) {
  const std::size_t n = compiles() ? 37 : 1009;
  const std::string text = plan{*on, {.lengths = {n}, .kind = transform::dct2}}.explain();
  EXPECT_THAT(text, Not(HasSubstr("your")));
  if (GetParam() == engine::reference) return;
  EXPECT_THAT(text, HasSubstr("real load"));
  EXPECT_THAT(text, HasSubstr("real store"));
}

INSTANTIATE_TEST_SUITE_P(engines, any_length, all_engines(), engine_name);

}  // namespace
