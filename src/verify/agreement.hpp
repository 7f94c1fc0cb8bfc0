// SPDX-License-Identifier: Apache-2.0
// Compares a result with the expected values, by the bounds of tolerance.hpp.
#pragma once

#include <complex>
#include <cstddef>  // size_t
#include <optional>
#include <span>
#include <string>

#include "arrays/array.hpp"      // element
#include "verify/tolerance.hpp"  // computation

namespace wingbeat::verify {

/// A value whose error exceeds its bound.
struct wrong_value {
  std::size_t number = 0;
  std::complex<double> got, expected;
  double error = 0, bound = 0;
};
[[nodiscard]] std::string text_of(const wrong_value& wrong);

/// The distance between a result and the expected values.
struct agreement {
  double largest_value = 0;  ///< Largest magnitude expected.
  double largest_error = 0;  ///< Largest magnitude of a difference; infinite if one is NaN.
  double largest_bound = 0;  ///< The bound of `largest_error`.
  double relative_l2 = 0;    ///< Infinite if zeros are expected and the result is not.
  double relative_l2_bound = 0;
  double norm_error = 0;  ///< For a sample: the distance of the norms of all values, see add_norms.
  std::size_t n_values = 0;
  std::size_t n_off = 0;  ///< Values off by more than 1e-4 of the largest, in re or im.
  std::optional<wrong_value> wrong = {};  ///< The first one.
  bool is_within = false;                 ///< All bounds hold.

  /// Returns the largest ratio of an error to its bound; above 1 a bound is broken.
  [[nodiscard]] double share() const;
};

/// What is known of all values when only some are compared.
struct sampling {
  /// The compared values' share of the norm of all values, sqrt(compared / all) ||X||. Errors of
  /// loud values spread over quiet ones too, so errors are relative to it if it is larger. 0: all
  /// values are compared.
  double share_l2 = 0;
  double largest = 0;     ///< The largest of all values, if it is known.
  double n_averaged = 0;  ///< Errors average out over this many values; 0: over the compared
                          ///< values.
  double n_inputs = 0;    ///< Each value is computed from this many inputs; 0: from many.
};

/// Compares `result` with `expected`, both of the same size. The errors of k values of a sample, or
/// of values computed from k, may be 1 + 1.5 / sqrt(k) times as large.
[[nodiscard]] agreement compare(std::span<const double> result, std::span<const double> expected,
                                arrays::element kind, const computation& how,
                                const sampling& part = {});

/// Adds to the agreement of a sample whether the norms of all `n_values` keep the bound of relative
/// L2. If they break it, so does the result:
///   | ||y|| - ||X|| | <= ||y - X|| <= c ||X||.
/// `relative_l2` becomes that distance if it is nearer to its bound.
void add_norms(agreement& of_sample, double result_norm, double expected_norm, std::size_t n_values,
               const computation& how);

/// Returns the worse of the agreements of two parts of a result, with the counts of both.
[[nodiscard]] agreement worse_of(const agreement& a, const agreement& b);

/// Returns the broken error and its bound as text.
[[nodiscard]] std::string breach_text(const agreement& broken);

}  // namespace wingbeat::verify
