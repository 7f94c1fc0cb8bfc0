// SPDX-License-Identifier: Apache-2.0
// The distance of values from the expected ones, in long double because the square of a double may
// leave the range of double. A NaN is infinitely far from everything.
#pragma once

#include <algorithm>  // max
#include <cmath>      // sqrt
#include <complex>
#include <cstddef>  // size_t
#include <limits>   // numeric_limits

namespace wingbeat::verify {

class distance {
 public:
  distance() = default;

  /// Compares two ranges, the second at least as long as the first.
  template <class Got, class Expected>
  distance(const Got& got, const Expected& expected) {
    for (std::size_t i = 0; i < std::size(got); ++i) add(got[i], expected[i]);
  }

  /// Adds a pair of values, and returns how far they are apart.
  long double add(std::complex<long double> got, std::complex<long double> expected) {
    const long double error = std::sqrt(std::norm(got - expected));
    errors_ += error * error;
    values_ += std::norm(expected);
    largest_ = std::max(largest_, std::norm(expected));
    if (!(error <= largest_error_)) largest_error_ = error <= infinity ? error : infinity;
    ++n_;
    return error;
  }

  [[nodiscard]] std::size_t n() const noexcept { return n_; }

  /// Returns the largest magnitude expected, and the largest magnitude of a difference.
  [[nodiscard]] long double largest() const { return std::sqrt(largest_); }
  [[nodiscard]] long double largest_error() const noexcept { return largest_error_; }

  /// Returns the norm of all values expected, and of the differences.
  [[nodiscard]] long double l2() const { return std::sqrt(values_); }
  [[nodiscard]] long double l2_error() const {
    return largest_error_ < infinity ? std::sqrt(errors_) : infinity;
  }

  /// Returns errors relative to the expected values: infinite if these are 0 and the result is not,
  /// or is NaN.
  [[nodiscard]] long double relative_l2() const { return share_of(l2_error(), l2()); }
  [[nodiscard]] long double relative_largest() const { return share_of(largest_error_, largest()); }

 private:
  static constexpr long double infinity = std::numeric_limits<long double>::infinity();

  static long double share_of(long double error, long double expected) {
    const long double share = error == 0 ? 0 : error / expected;
    return share <= infinity ? share : infinity;
  }

  long double errors_ = 0, values_ = 0;  // sums of squares
  long double largest_ = 0;              // squared
  long double largest_error_ = 0;
  std::size_t n_ = 0;
};

}  // namespace wingbeat::verify
