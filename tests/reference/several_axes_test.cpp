// SPDX-License-Identifier: Apache-2.0
// The reference engine on two and three axes. Oracle: the sum over all points that defines the
// transform; for a half spectrum, what plan.hpp says, written out, on input without symmetry.
#include <gtest/gtest.h>

#include <cmath>  // sqrt
#include <complex>
#include <numeric>  // accumulate
#include <vector>

#include "reference/root_of_unity.hpp"  // root_of_unity
#include "support/memory.hpp"           // transformed
#include "support/signal.hpp"           // real_noise
#include "wingbeat/wingbeat.hpp"

namespace {

using namespace wingbeat;
using value = std::complex<long double>;
using lengths = std::vector<std::size_t>;

std::size_t product(const lengths& n) {
  return std::accumulate(n.begin(), n.end(), std::size_t{1}, std::multiplies<>{});
}

/// Returns w^(j0 k0 / N0 + j1 k1 / N1 + ..) for points numbered with the last axis densest.
value root(const lengths& n, std::size_t j, std::size_t k, device::direction dir) {
  value w = 1;
  for (std::size_t a = n.size(); a-- > 0;) {
    w *= reference::root_of_unity<long double>(j % n[a] * (k % n[a]), n[a], dir);
    j /= n[a];
    k /= n[a];
  }
  return w;
}

/// Runs a packed fp64 request.
std::vector<double> run(const plan_spec& spec, const std::vector<double>& x) {
  return test::transformed(engine::reference, spec, x);
}

const lengths shapes[] = {{2, 2},    {4, 2}, {2, 8},  {8, 16}, {2, 4, 8}, {4, 2, 2},
                          {2, 2, 2}, {3, 5}, {6, 10}, {9, 2},  {2, 3, 7}};

void expect_near(value got, value expected, const lengths& n, std::size_t k) {
  EXPECT_LE(std::abs(got - expected), 0x1p-52L * std::sqrt(1.0L * product(n)))
      << "element " << k << " of " << n.front() << " x .. " << n.back();
}

TEST(several_axes, complex_transforms_are_the_sum_over_all_points) {
  for (const lengths& n : shapes) {
    const std::size_t points = product(n);
    const auto x = test::real_noise<double>(2 * 3 * points, 1);
    for (const transform kind : {transform::forward, transform::inverse}) {
      const auto dir =
          kind == transform::forward ? device::direction::forward : device::direction::inverse;
      const auto y = run({.lengths = n, .batch = 3, .kind = kind, .real = precision::fp64}, x);
      for (std::size_t t = 0; t < 3; ++t) {
        const double* const source = x.data() + 2 * t * points;
        const double* const bins = y.data() + 2 * t * points;
        for (std::size_t k = 0; k < points; ++k) {
          value sum = 0;
          for (std::size_t j = 0; j < points; ++j) {
            sum += value{source[2 * j], source[2 * j + 1]} * root(n, j, k, dir);
          }
          expect_near({bins[2 * k], bins[2 * k + 1]}, sum, n, k);
        }
      }
    }
  }
}

TEST(several_axes, a_real_transform_halves_the_last) {
  for (const lengths& n : shapes) {
    const std::size_t points = product(n), bins = n.back() / 2 + 1;
    const auto x = test::real_noise<double>(points, 2);
    const auto y =
        run({.lengths = n, .kind = transform::forward_from_real, .real = precision::fp64}, x);
    ASSERT_EQ(y.size(), 2 * points / n.back() * bins);
    for (std::size_t b = 0; b < y.size() / 2; ++b) {
      const std::size_t k = b / bins * n.back() + b % bins;
      value sum = 0;
      for (std::size_t j = 0; j < points; ++j) {
        sum += static_cast<long double>(x[j]) * root(n, j, k, device::direction::forward);
      }
      expect_near({y[2 * b], y[2 * b + 1]}, sum, n, b);
    }
  }
}

/// Returns the inverse along all axes but the last of one column: row `j` of bin `k`.
value column(const lengths& n, const std::vector<double>& x, std::size_t j, std::size_t k) {
  const lengths others(n.begin(), n.end() - 1);
  const std::size_t bins = n.back() / 2 + 1;
  value sum = 0;
  for (std::size_t r = 0; r < product(others); ++r) {
    const double* const bin = x.data() + 2 * (r * bins + k);
    sum += value{bin[0], bin[1]} * root(others, r, j, device::direction::inverse);
  }
  return sum;
}

TEST(several_axes, bins_that_need_no_symmetry_become_real_row_by_row) {
  for (const lengths& n : shapes) {
    const std::size_t last = n.back(), half = last / 2, rows = product(n) / last;
    const auto x = test::real_noise<double>(2 * rows * (half + 1), 3);
    const auto y =
        run({.lengths = n, .kind = transform::inverse_to_real, .real = precision::fp64}, x);
    ASSERT_EQ(y.size(), product(n));
    for (std::size_t p = 0; p < y.size(); ++p) {
      const std::size_t row = p / last, j = p % last;
      const long double sign = j % 2 == 0 ? 1 : -1;
      long double sum = column(n, x, row, 0).real();
      if (last % 2 == 0) sum += sign * column(n, x, row, half).real();
      for (std::size_t k = 1; 2 * k < last; ++k) {
        const auto w =
            reference::root_of_unity<long double>(j * k, last, device::direction::inverse);
        sum += 2 * (column(n, x, row, k) * w).real();
      }
      expect_near(y[p], sum, n, p);
    }
  }
}

TEST(several_axes, there_and_back_is_the_input) {
  for (const lengths& n : {lengths{128, 4}, lengths{4, 256}, lengths{2, 128, 128}}) {
    const auto x = test::real_noise<double>(product(n), 4);
    plan_spec spec{.lengths = n, .kind = transform::forward_from_real, .real = precision::fp64};
    const auto bins = run(spec, x);
    spec.kind = transform::inverse_to_real;
    spec.scale = scaling::by_length;
    const auto y = run(spec, bins);
    for (std::size_t j = 0; j < x.size(); ++j) ASSERT_LE(std::abs(y[j] - x[j]), 0x1p-50) << j;
  }
}

TEST(several_axes, a_million_points_are_feasible) {
  constexpr std::size_t n = std::size_t{1} << 20;
  std::vector<double> x(2 * n);
  x[2 * 77'777] = 1;
  const lengths axes{1 << 4, 1 << 6, 1 << 10};
  const auto y = run({.lengths = axes, .real = precision::fp64}, x);
  for (std::size_t k = 0; k < n; k += 997) {
    const value w = root(axes, 77'777, k, device::direction::forward);
    EXPECT_LE(std::abs(value{y[2 * k], y[2 * k + 1]} - w), 0x1p-53L) << k;
  }
}

TEST(several_axes, functors_get_transform_numbers_and_elements_over_all_dimensions) {
  plan_spec spec{.lengths = {2, 4}, .batch = {3, 2}, .kind = transform::forward_from_real};
  std::vector<std::size_t> loads, stores;
  spec.load = {.in_bytes = 6 * 8 * sizeof(float), .element_bytes = sizeof(float)};
  spec.load.callable = [&](const void* in, std::size_t row, std::size_t first,
                           std::span<float> into) {
    loads.insert(loads.end(), {row, first, into.size()});
    for (std::size_t i = 0; i < into.size(); ++i) {
      into[i] = static_cast<const float*>(in)[row * 8 + first + i];
    }
  };
  spec.store = {.out_bytes = 6 * 6 * 8, .element_bytes = 8};
  spec.store.callable = [&](void* out, std::size_t row, std::size_t first,
                            std::span<const std::complex<float>> values) {
    stores.insert(stores.end(), {row, first, values.size()});
    for (std::size_t i = 0; i < values.size(); ++i) {
      static_cast<std::complex<float>*>(out)[row * 6 + first + i] = values[i];
    }
  };
  plan_spec plain = spec;
  plain.load = {};
  plain.store = {};
  const auto x = test::real_noise<float>(48, 5);
  EXPECT_EQ(test::transformed(engine::reference, spec, x),
            test::transformed(engine::reference, plain, x));
  EXPECT_EQ(loads,
            (std::vector<std::size_t>{0, 0, 8, 1, 0, 8, 2, 0, 8, 3, 0, 8, 4, 0, 8, 5, 0, 8}));
  EXPECT_EQ(stores,
            (std::vector<std::size_t>{0, 0, 6, 1, 0, 6, 2, 0, 6, 3, 0, 6, 4, 0, 6, 5, 0, 6}));
}

}  // namespace
