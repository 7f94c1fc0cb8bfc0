// SPDX-License-Identifier: Apache-2.0
// Workgroups are emulated. Oracle: templates and their sums by definition, in long double.
#include "wingbeat/device/functors/unit_templates.hpp"

#include <gtest/gtest.h>

#include <cmath>  // sqrt
#include <vector>

#include "wingbeat/emulate.hpp"  // run_grid

namespace {

using namespace wingbeat::device;

constexpr size height = 5, width = 7, n_elements = height * width;
constexpr unsigned n_templates = 3, n_threads = 8;

/// Runs the three kernels that make units, in so many parts each.
template <class Real, class Sum>
void scale(const functors::unit_templates<Real, Sum>& bodies, unsigned count,
           const std::vector<Real>& in, std::vector<Real>& units) {
  std::vector<Sum> of_threads(n_threads), sums(count * 3 * bodies.n_parts);
  auto* const scratch = reinterpret_cast<char*>(of_threads.data());
  const auto in_parts = [&](const auto& work) {
    wingbeat::run_grid(count * bodies.n_parts, n_threads, work);
  };
  in_parts([&](auto group) { bodies.sum(group, in.data(), sums.data(), count, scratch); });
  in_parts([&](auto group) { bodies.vary(group, in.data(), sums.data(), count, scratch); });
  in_parts([&](auto group) {
    bodies.scale(group, in.data(), sums.data(), units.data(), count, scratch);
  });
}

/// Runs all kernels; `rim` has a value more than they are to write.
template <class Real, class Sum>
void run(size n_parts, const std::vector<Real>& in, std::vector<Real>& units,
         std::vector<Real>& rim) {
  const functors::unit_templates<Real, Sum> bodies{height, width, n_threads, n_parts};
  scale(bodies, n_templates, in, units);
  char* const scratch = nullptr;
  const auto workgroups = [](size lines) { return (lines + n_threads - 1) / n_threads; };
  wingbeat::run_grid(workgroups(n_templates * (height + 1)), n_threads, [&](auto group) {
    bodies.sum_rows(group, units.data(), rim.data(), n_templates, scratch);
  });
  wingbeat::run_grid(workgroups(n_templates * (width + 1)), n_threads, [&](auto group) {
    bodies.sum_columns(group, rim.data(), n_templates, scratch);
  });
}

std::vector<long double> unit_of(const auto* elements) {
  long double mean = 0, squares = 0;
  for (size i = 0; i < n_elements; ++i) mean += elements[i];
  mean /= n_elements;
  std::vector<long double> unit(n_elements);
  for (size i = 0; i < n_elements; ++i) {
    unit[i] = elements[i] - mean;
    squares += unit[i] * unit[i];
  }
  for (long double& x : unit) x = squares == 0 ? 0 : x / std::sqrt(squares);
  return unit;
}

/// Templates of small contrast on a large offset; the last one is constant.
template <class Real>
std::vector<Real> given_templates() {
  std::vector<Real> elements(n_templates * n_elements, Real(3));
  for (size i = 0; i < (n_templates - 1) * n_elements; ++i) {
    elements[i] = Real(1000) + static_cast<Real>(i * i % 17) / Real(8);
  }
  return elements;
}

template <class Real, class Sum>
void expect_units(double bound, size n_parts) {
  const std::vector<Real> in = given_templates<Real>();
  constexpr size table = (height + 1) * (width + 1);
  std::vector<Real> units(in.size()), rim(n_templates * table + 1, Real(-7));
  run<Real, Sum>(n_parts, in, units, rim);
  for (size number = 0; number < n_templates; ++number) {
    const std::vector<long double> expected = unit_of(in.data() + number * n_elements);
    for (size i = 0; i < n_elements; ++i) {
      EXPECT_NEAR(units[number * n_elements + i], expected[i], bound);
    }
    for (size y = 0; y <= height; ++y) {
      for (size x = 0; x <= width; ++x) {
        long double sum = 0;
        for (size i = 0; i < y * width; ++i) sum += i % width < x ? expected[i] : 0;
        EXPECT_NEAR(rim[number * table + y * (width + 1) + x], sum, n_elements * bound);
      }
    }
  }
  EXPECT_EQ(rim.back(), Real(-7));
}

TEST(functors_unit_templates, have_no_mean_and_norm_1_and_are_summed) {
  for (const size n_parts : {1, 2, 3, 10}) {
    expect_units<float, double>(1e-7, n_parts);
    expect_units<double, double>(1e-13, n_parts);
  }
}

TEST(functors_unit_templates, keep_small_contrasts_where_sums_are_floats) {
  for (const size n_parts : {1, 4}) expect_units<float, float>(5e-7, n_parts);
}

/// The mean of elements relative to the first is large, and rounds.
TEST(functors_unit_templates, have_no_mean_where_the_first_element_differs_from_all) {
  std::vector<float> in(64 * 64), unit(in.size());
  for (size i = 1; i < in.size(); ++i) in[i] = 1000 + static_cast<float>(i * i % 1009) / 700;
  for (const size n_parts : {1, 7}) {
    scale<float, float>({64, 64, n_threads, n_parts}, 1, in, unit);
    double sum = 0;
    for (const float x : unit) sum += double{x};
    EXPECT_NEAR(sum, 0, 1e-6);
  }
}

}  // namespace
