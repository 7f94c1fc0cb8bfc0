// SPDX-License-Identifier: Apache-2.0
// Each way to reduce a transform from reals to reals to another, the other by its definition in
// double: every length from 1 on, against the sums of the kind.
#include "wingbeat/device/functors/reductions.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>  // sqrt2
#include <vector>

#include "reference/real_axis.hpp"                  // real_axis
#include "support/oracle.hpp"                       // dft_by_definition, exact
#include "wingbeat/device/functors/real_lines.hpp"  // real_line
#include "wingbeat/roots.hpp"                       // root

namespace {

using namespace wingbeat;
using namespace wingbeat::test;
using namespace wingbeat::device::functors;
using device::complex;

constexpr std::size_t longest = 19;

std::vector<double> noise_of(std::size_t n) {
  std::vector<double> x;
  for (std::size_t j = 0; j < n; ++j) x.push_back(std::sin(1.0 + 7.3 * static_cast<double>(j)));
  return x;
}

/// Roots exp(-2 pi i (first + e step) / order).
std::vector<complex<double>> roots_of(std::size_t count, std::size_t first, std::size_t step,
                                      std::size_t order) {
  std::vector<complex<double>> roots{{1, 0}};
  roots.resize(count);
  for (std::size_t e = 0; e < count; ++e) {
    const auto w = root(first + e * step, order);
    roots[e] = {static_cast<double>(w.real()), static_cast<double>(w.imag())};
  }
  return roots;
}

/// A line of n reals before, and one after.
struct lines {
  lines(std::size_t n, std::vector<complex<double>> w)
      : roots(std::move(w)), x(noise_of(n)), y(n, std::nan("")) {
    numbers.length = numbers.end = n;
  }
  [[nodiscard]] auto in() const {
    return real_line<line_memory<const double, double>, double>{
        numbers, x.data(), {roots.data()}, 0};
  }
  [[nodiscard]] auto out() {
    return real_line<line_memory<double, double>, double>{numbers, y.data(), {roots.data()}, 0};
  }

  line_numbers numbers;
  std::vector<complex<double>> roots;
  std::vector<double> x, y;
};

void expect_sums(const lines& held, transform kind, double factor) {
  const std::size_t n = held.x.size();
  reference::row<long double> expected(held.x.begin(), held.x.end());
  reference::real_axis{request::traits_of(kind), n, false}(expected, 1);
  for (std::size_t k = 0; k < n; ++k) {
    EXPECT_NEAR(factor * held.y[k], static_cast<double>(expected[k].real()), 1e-13)
        << name_of(kind) << ", element " << k << " of " << n;
  }
}

complex<double> narrowed(std::complex<long double> z) {
  return {static_cast<double>(z.real()), static_cast<double>(z.imag())};
}

/// Gathers each output of the inner transform's elements: what storing them has made.
template <class Reduction, class Value>
void expect_gathered(lines& held, const Value& value) {
  const auto prepared = [&](unsigned i) {
    return Reduction::template prepared<double>(held.out(), i, value(i));
  };
  for (unsigned t = 0; t < held.y.size(); ++t) {
    EXPECT_EQ(Reduction::template output<double>(held.out(), t, prepared), held.y[t])
        << "output " << t << " of " << held.y.size();
  }
}

/// By `inner` reals to bins.
template <class Reduction>
void check_by_bins(lines held, std::size_t inner, transform kind, double factor) {
  std::vector<double> loaded;
  for (std::size_t i = 0; i < inner; ++i) {
    loaded.push_back(Reduction::template load<double>(held.in(), i));
  }
  const exact bins = dft_by_definition<direction::forward>(loaded);
  for (std::size_t k = 0; k <= inner / 2; ++k) {
    Reduction::template store<double>(held.out(), k, narrowed(bins[k]));
  }
  if constexpr (Reduction::gathers) {
    expect_gathered<Reduction>(held, [&](std::size_t k) { return narrowed(bins[k]); });
  }
  expect_sums(held, kind, factor);
}

/// By `inner` complex numbers.
template <class Reduction>
void check_by_numbers(lines held, std::size_t inner, transform kind, double factor) {
  exact loaded;
  for (std::size_t i = 0; i < inner; ++i) {
    const complex<double> z = Reduction::template load<double>(held.in(), i);
    loaded.emplace_back(z.re, z.im);
  }
  const exact bins = dft_by_definition<direction::forward>(loaded);
  for (std::size_t k = 0; k < inner; ++k) {
    Reduction::template store<double>(held.out(), k, narrowed(bins[k]));
  }
  expect_gathered<Reduction>(held, [&](std::size_t k) { return narrowed(bins[k]); });
  expect_sums(held, kind, factor);
}

TEST(functors_reductions, of_dct1_and_dst1_continue_lines_by_mirror_images) {
  for (std::size_t n = 1; n <= longest; ++n) {
    if (n > 1) check_by_bins<even_extension>({n, {}}, 2 * n - 2, transform::dct1, 1);
    check_by_bins<odd_extension>({n, {}}, 2 * n + 2, transform::dst1, 1);
  }
}

TEST(functors_reductions, of_dct2_fold_lines) {
  for (std::size_t n = 1; n <= longest; ++n) {
    check_by_bins<folded_samples>({n, roots_of(n / 2 + 1, 0, 1, 4 * n)}, n, transform::dct2, 2);
  }
}

TEST(functors_reductions, of_dct3_unfold_bins) {
  for (std::size_t n = 1; n <= longest; ++n) {
    lines held{n, roots_of(n / 2 + 1, 0, 1, 4 * n)};
    exact bins(n);
    for (std::size_t k = 0; k <= n / 2; ++k) {
      const complex<double> bin = folded_bins::load<double>(held.in(), k);
      bins[k] = {bin.re, bin.im};
      if (k == 0 || 2 * k == n) bins[k] = bin.re;
      if (k > 0) bins[n - k] = std::conj(bins[k]);
    }
    const exact values = dft_by_definition<direction::inverse>(bins);
    for (std::size_t i = 0; i < n; ++i) {
      folded_bins::store<double>(held.out(), i, static_cast<double>(values[i].real()));
    }
    expect_gathered<folded_bins>(
        held, [&](std::size_t i) { return static_cast<double>(values[i].real()); });
    expect_sums(held, transform::dct3, 1);
  }
}

TEST(functors_reductions, of_dct4_of_even_lengths_take_reals_in_pairs) {
  for (std::size_t n = 2; n <= longest; n += 2) {
    check_by_numbers<half_turned>({n, roots_of(n / 2, 1, 8, 16 * n)}, n / 2, transform::dct4, 2);
  }
}

TEST(functors_reductions, of_dct1_and_dst1_of_even_lengths_take_even_and_odd_places) {
  for (std::size_t n = 2; n <= longest; n += 2) {
    check_by_numbers<even_halves>({n, {}}, n - 1, transform::dct1, 1);
    check_by_numbers<odd_halves>({n, {}}, n + 1, transform::dst1, 1);
  }
}

TEST(functors_reductions, of_dct4_of_odd_lengths_take_places_1_mod_8) {
  for (std::size_t n = 1; n <= longest; n += 2) {
    check_by_bins<odd_places>({n, {}}, n, transform::dct4, std::numbers::sqrt2);
  }
}

TEST(functors_reductions, of_hartley_subtract_parts_of_bins) {
  for (std::size_t n = 1; n <= longest; ++n) {
    check_by_bins<cas_bins>({n, {}}, n, transform::dht, 1);
  }
}

}  // namespace
