// SPDX-License-Identifier: Apache-2.0
// Oracle: rounding, limits and conversion as <cmath> and long double have them.
#include "wingbeat/device/port.hpp"

#include <gtest/gtest.h>

#include <cmath>    // floor, isnan, nextafter
#include <cstdint>  // int64_t
#include <limits>
#include <type_traits>
#include <vector>

namespace {

namespace maths = wingbeat::device::maths;

/// Ties, neighbours of ties, powers of two and their neighbours, both signs, and no number.
template <class Real>
std::vector<Real> interesting() {
  std::vector<Real> result;
  for (int quarters = 0; quarters < 40; ++quarters) result.push_back(Real(quarters) / 4);
  for (int bits = 3; bits < 70; ++bits) result.push_back(std::ldexp(Real(1), bits));
  const std::vector<Real> exact = result;
  for (const Real x : exact) {
    result.push_back(x + Real(0.5));
    result.push_back(std::nextafter(x, Real(1e30)));
    result.push_back(std::nextafter(x, Real(0)));
  }
  result.push_back(std::numeric_limits<Real>::infinity());
  const std::vector<Real> positive = result;
  for (const Real x : positive) result.push_back(-x);
  return result;
}

/// The definition: of the integers beside x the nearer one, or the even one.
long double rounded(long double x) {
  const long double below = std::floor(x), beyond = x - below;
  if (beyond != 0.5L) return beyond < 0.5L ? below : below + 1;
  return std::floor(below / 2) * 2 == below ? below : below + 1;
}

template <class Integer, class Real>
Integer saturated(Real x) {
  const long double whole = std::isinf(x) ? static_cast<long double>(x) : rounded(x);
  const long double least = std::numeric_limits<Integer>::min();
  const long double greatest = std::numeric_limits<Integer>::max();
  if (whole < least) return std::numeric_limits<Integer>::min();
  if (whole > greatest) return std::numeric_limits<Integer>::max();
  return static_cast<Integer>(whole);
}

template <class Real>
class port_maths : public ::testing::Test {
 protected:
  static constexpr Real nan = std::numeric_limits<Real>::quiet_NaN();
};

using reals = ::testing::Types<float, double>;
TYPED_TEST_SUITE(port_maths, reals);

TYPED_TEST(port_maths, rounds_to_the_nearest_integer_and_ties_to_even) {
  using Real = TypeParam;
  for (const Real x : interesting<Real>()) {
    const Real got = maths::round_even(x);
    static_assert(std::is_same_v<decltype(got), const Real>);
    if (std::isinf(x)) {
      EXPECT_EQ(got, x);
    } else {
      EXPECT_EQ(static_cast<long double>(got), rounded(x)) << x;
    }
  }
  EXPECT_TRUE(std::isnan(maths::round_even(this->nan)));
}

TYPED_TEST(port_maths, limits_leave_out_nan) {
  using Real = TypeParam;
  const auto values = interesting<Real>();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Real a = values[i], b = values[i * 7 % values.size()];
    EXPECT_EQ(maths::minimum(a, b), a < b ? a : b);
    EXPECT_EQ(maths::maximum(a, b), a < b ? b : a);
    EXPECT_EQ(maths::minimum(a, this->nan), a);
    EXPECT_EQ(maths::minimum(this->nan, a), a);
    EXPECT_EQ(maths::maximum(a, this->nan), a);
    EXPECT_EQ(maths::maximum(this->nan, a), a);
    EXPECT_EQ(maths::clamp(a, Real(-2), Real(2.5)), a < -2 ? -2 : a > Real(2.5) ? Real(2.5) : a);
  }
  EXPECT_EQ(maths::clamp(this->nan, Real(-2), Real(2.5)), Real(-2));
}

template <class Integer, class Real>
void expect_saturated_integers() {
  SCOPED_TRACE(std::numeric_limits<Integer>::digits);
  for (const Real x : interesting<Real>()) {
    EXPECT_EQ(maths::to_integer<Integer>(x), (saturated<Integer, Real>(x))) << x;
  }
  volatile Real nan = std::numeric_limits<Real>::quiet_NaN();  // unknown to the compiler
  EXPECT_EQ(maths::to_integer<Integer>(Real(nan)), Integer(0));
}

TYPED_TEST(port_maths, integers_saturate_and_are_0_for_nan) {
  expect_saturated_integers<signed char, TypeParam>();
  expect_saturated_integers<unsigned char, TypeParam>();
  expect_saturated_integers<short, TypeParam>();
  expect_saturated_integers<unsigned short, TypeParam>();
  expect_saturated_integers<int, TypeParam>();
  expect_saturated_integers<unsigned, TypeParam>();
  expect_saturated_integers<std::int64_t, TypeParam>();
  expect_saturated_integers<std::uint64_t, TypeParam>();
}

}  // namespace
