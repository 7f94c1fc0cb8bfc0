// SPDX-License-Identifier: Apache-2.0
// The kinds of transforms as a table of traits. Nothing else compares kinds.
#pragma once

#include <cstddef>  // size_t
#include <string_view>

#include "wingbeat/plan.hpp"  // transform

namespace wingbeat::request {

/// What stands along the axis of a transform of N points, on one side.
enum class domain {
  complex,   ///< N complex numbers.
  real,      ///< N real numbers.
  hermitian  ///< Bins 0 .. N/2, complex numbers; bin N-k, which is not stored, is the conjugate of
             ///< bin k.
};

/// Returns the elements that stand for n points.
[[nodiscard]] constexpr std::size_t count_of(domain values, std::size_t n) {
  return values == domain::hermitian ? n / 2 + 1 : n;
}

/// Returns the real numbers of one element.
[[nodiscard]] constexpr std::size_t reals_of(domain values) {
  return values == domain::real ? 1 : 2;
}

/// A kind of transform, along its last axis.
struct traits {
  transform kind;
  std::string_view name;        ///< Of its enumerator.
  std::string_view short_name;  ///< For commands.
  bool is_forward;              ///< w = exp(-2 pi i / N), else exp(+2 pi i / N).
  domain in, out;
  transform opposite;    ///< Undoes it, up to a factor.
  transform other_axes;  ///< The kind along the axes before the last.

  /// Returns whether one of its sides is real.
  [[nodiscard]] constexpr bool is_real() const { return in == domain::real || out == domain::real; }
};

/// One row for each kind, in the order of `transform`.
inline constexpr traits kinds[] = {
    {transform::forward, "forward", "c2c", true, domain::complex, domain::complex,
     transform::inverse, transform::forward},
    {transform::inverse, "inverse", "c2c-inverse", false, domain::complex, domain::complex,
     transform::forward, transform::inverse},
    {transform::forward_from_real, "forward_from_real", "r2c", true, domain::real,
     domain::hermitian, transform::inverse_to_real, transform::forward},
    {transform::inverse_to_real, "inverse_to_real", "c2r", false, domain::hermitian, domain::real,
     transform::forward_from_real, transform::inverse},
};

/// Returns the row of a kind that has one.
[[nodiscard]] constexpr const traits& traits_of(transform kind) noexcept {
  return kinds[static_cast<std::size_t>(kind)];
}

}  // namespace wingbeat::request
