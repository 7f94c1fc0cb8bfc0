// SPDX-License-Identifier: Apache-2.0
// Direct sums against their definition in long double, with every instruction set: all kinds of
// numbers, ragged lengths, several axes, backward taps; which NaN they read; exact integers.
#include "wingbeat/direct_sums.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "backend/host/cpu.hpp"       // supported_sets
#include "wingbeat/error.hpp"         // plan_error
#include "wingbeat/thread_limit.hpp"  // thread_limit

namespace {

using namespace wingbeat;
using backend::host::named_set;
using backend::host::summed_rows;

template <class Number>
struct kind;
template <>
struct kind<float> {
  using exact = long double;
  static constexpr auto number = summed_number::fp32;
  static constexpr auto kernel = &backend::host::sum_kernels::fp32;
};
template <>
struct kind<double> {
  using exact = long double;
  static constexpr auto number = summed_number::fp64;
  static constexpr auto kernel = &backend::host::sum_kernels::fp64;
};
template <>
struct kind<std::complex<float>> {
  using exact = std::complex<long double>;
  static constexpr auto number = summed_number::complex_fp32;
  static constexpr auto kernel = &backend::host::sum_kernels::complex_fp32;
};
template <>
struct kind<std::complex<double>> {
  using exact = std::complex<long double>;
  static constexpr auto number = summed_number::complex_fp64;
  static constexpr auto kernel = &backend::host::sum_kernels::complex_fp64;
};
template <>
struct kind<std::uint64_t> {
  using exact = std::uint64_t;
  static constexpr auto number = summed_number::integer;
  static constexpr auto kernel = &backend::host::sum_kernels::integers;
};

template <class Number>
constexpr bool is_complex = sizeof(typename kind<Number>::exact) ==
                            sizeof(std::complex<long double>);

template <class Number>
std::vector<Number> noise(std::size_t n, unsigned seed) {
  std::mt19937_64 random{seed};
  std::uniform_real_distribution<double> value{-1, 1};
  std::vector<Number> x(n);
  for (Number& each : x) {
    if constexpr (std::is_integral_v<Number>) {
      each = random();
    } else if constexpr (is_complex<Number>) {
      using real = typename Number::value_type;
      each = {static_cast<real>(value(random)), static_cast<real>(value(random))};
    } else {
      each = static_cast<Number>(value(random));
    }
  }
  return x;
}

/// Bounds errors by the sum of the magnitudes of n products below 2, each rounded in turns.
template <class Number>
void expect_near(Number sum, typename kind<Number>::exact exact, std::size_t n, const char* set) {
  if constexpr (std::is_integral_v<Number>) {
    ASSERT_EQ(sum, exact) << set;
  } else {
    const typename kind<Number>::exact wide = sum;
    const bool is_single = sizeof(Number) == (is_complex<Number> ? 8 : 4);
    const double unit = is_single ? 0x1p-24 : 0x1p-53;
    const auto terms = static_cast<double>(n);
    ASSERT_LE(static_cast<double>(std::abs(wide - exact)), 2 * unit * terms * std::sqrt(terms + 1))
        << set;
  }
}

template <class Number>
class direct_sums : public ::testing::Test {};
using numbers =
    ::testing::Types<float, double, std::complex<float>, std::complex<double>, std::uint64_t>;
TYPED_TEST_SUITE(direct_sums, numbers);

template <class Number>
void check_row(const named_set& set, std::size_t length, std::size_t n_taps, std::size_t n_rows) {
  using exact = typename kind<Number>::exact;
  const auto x = noise<Number>(n_rows * length, 1), t = noise<Number>(n_rows * n_taps, 2);
  const std::size_t count = length + n_taps - 1;
  std::vector<Number> y(count + 1, Number(7));
  summed_rows rows;
  rows.signal = x.data();
  rows.taps = t.data();
  rows.signal_pitch = rows.length = static_cast<std::ptrdiff_t>(length);
  rows.taps_pitch = rows.n_taps = static_cast<std::ptrdiff_t>(n_taps);
  rows.n_rows = static_cast<std::ptrdiff_t>(n_rows);
  rows.out = y.data();
  rows.count = static_cast<std::ptrdiff_t>(count);
  (set.sums->*kind<Number>::kernel)(rows);
  for (std::size_t n = 0; n < count; ++n) {
    exact sum{};
    for (std::size_t r = 0; r < n_rows; ++r) {
      for (std::size_t j = 0; j < n_taps && j <= n; ++j) {
        if (n - j < length) sum += exact(t[r * n_taps + j]) * exact(x[r * length + n - j]);
      }
    }
    expect_near(y[n], sum, n_rows * n_taps, set.name.c_str());
  }
  EXPECT_EQ(y[count], Number(7)) << set.name << ": writes behind the results";
}

TYPED_TEST(direct_sums, of_rows_with_every_instruction_set) {
  for (const named_set& set : backend::host::supported_sets()) {
    for (const std::size_t length : {1, 3, 7, 16, 33, 64, 65, 150}) {
      for (const std::size_t n_taps : {1, 2, 5, 17, 70}) {
        check_row<TypeParam>(set, length, n_taps, 1 + n_taps % 3);
      }
    }
  }
}

/// Lengths of signal, taps and results of axes, and starts; all packed.
std::vector<summed_axis> packed(std::vector<summed_axis> axes, bool is_backward) {
  std::ptrdiff_t signal = 1, taps = 1, result = 1;
  for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) {
    axis->signal_stride = signal;
    axis->taps_stride = is_backward ? -taps : taps;
    axis->result_stride = result;
    signal *= static_cast<std::ptrdiff_t>(axis->signal);
    taps *= static_cast<std::ptrdiff_t>(axis->taps);
    result *= static_cast<std::ptrdiff_t>(axis->result);
  }
  return axes;
}

template <class Number>
void check_axes(const std::vector<summed_axis>& given, bool is_backward) {
  using exact = typename kind<Number>::exact;
  auto three = std::vector<summed_axis>(3 - given.size());
  three.insert(three.end(), given.begin(), given.end());
  const auto& [a, b, c] = reinterpret_cast<const summed_axis(&)[3]>(three[0]);
  const auto f = noise<Number>(a.signal * b.signal * c.signal, 3);
  const auto t = noise<Number>(a.taps * b.taps * c.taps, 4);
  std::vector<Number> y(a.result * b.result * c.result, Number(9));
  const auto* const first_tap = is_backward ? &t.back() : t.data();
  sum_directly(kind<Number>::number, packed(given, is_backward), f.data(), first_tap, y.data(),
               is_backward);
  const auto signal_at = [](const summed_axis& axis, std::size_t n, std::size_t j) {
    return n + static_cast<std::size_t>(axis.start) - j;  // beyond the length where there is none
  };
  const auto sum_of = [&, &a = a, &b = b, &c = c](std::size_t i, std::size_t j, std::size_t k) {
    exact sum{};
    for (std::size_t tap = 0; tap < t.size(); ++tap) {
      const std::size_t x = signal_at(a, i, tap / (b.taps * c.taps));
      const std::size_t v = signal_at(b, j, tap / c.taps % b.taps);
      const std::size_t w = signal_at(c, k, tap % c.taps);
      if (x >= a.signal || v >= b.signal || w >= c.signal) continue;
      exact factor(t[is_backward ? t.size() - 1 - tap : tap]);
      if constexpr (is_complex<Number>) factor = is_backward ? std::conj(factor) : factor;
      sum += factor * exact(f[(x * b.signal + v) * c.signal + w]);
    }
    return sum;
  };
  for (std::size_t n = 0; n < y.size(); ++n) {
    const std::size_t plane = b.result * c.result;
    expect_near(y[n], sum_of(n / plane, n / c.result % b.result, n % c.result), t.size(), "axes");
  }
}

TYPED_TEST(direct_sums, along_one_to_three_axes) {
  for (const bool is_backward : {false, true}) {
    check_axes<TypeParam>({{40, 7, 46, 0}}, is_backward);
    check_axes<TypeParam>({{40, 7, 40, 3}}, is_backward);
    check_axes<TypeParam>({{9, 4, 12, 0}, {30, 5, 26, 4}}, is_backward);
    check_axes<TypeParam>({{3, 9, 3, 4}, {5, 12, 5, 5}}, is_backward);
    check_axes<TypeParam>({{4, 2, 5, 0}, {6, 3, 6, 1}, {35, 4, 38, 0}}, is_backward);
    check_axes<TypeParam>({{4, 2, 7, 0}, {6, 3, 6, 1}}, is_backward);  // of no product: zeros
  }
}

TYPED_TEST(direct_sums, have_the_same_bits_on_any_number_of_threads) {
  const std::vector<summed_axis> axes{{70'000, 40, 70'039, 0}};
  const auto f = noise<TypeParam>(70'000, 5), t = noise<TypeParam>(40, 6);
  std::vector<TypeParam> alone(70'039), shared(70'039);
  sum_directly(kind<TypeParam>::number, axes, f.data(), t.data(), shared.data());
  const thread_limit single{1};
  sum_directly(kind<TypeParam>::number, axes, f.data(), t.data(), alone.data());
  EXPECT_EQ(alone, shared);
}

TEST(direct_sums, leave_nan_where_it_is) {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  std::vector<float> f(100, 1), t{1, infinity, 2}, y(102);
  f[50] = nan;
  const std::vector<summed_axis> axes{{100, 3, 102, 0}};
  sum_directly(summed_number::fp32, axes, f.data(), t.data(), y.data());
  for (std::size_t n = 0; n < y.size(); ++n) {
    EXPECT_EQ(std::isnan(y[n]), n >= 50 && n <= 52) << n;
  }
  EXPECT_EQ(y.front(), 1);  // no infinity times what is not there
  EXPECT_EQ(y.back(), 2);
}

TEST(direct_sums, refuse_axes_with_gaps_and_none) {
  float number = 1, result = 0;
  const std::vector<summed_axis> none, gaps{{2, 1, 2, 0, 2}};
  EXPECT_THROW(sum_directly(summed_number::fp32, none, &number, &number, &result), plan_error);
  EXPECT_THROW(sum_directly(summed_number::fp32, gaps, &number, &number, &result), plan_error);
}

}  // namespace
