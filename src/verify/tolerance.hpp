// SPDX-License-Identifier: Apache-2.0
// The errors that rounding may cause, for any engine. With u the unit roundoff of the arithmetic
// (2^-24, fp64 2^-53), N the logical length and c = 1 (fp64 1.25), times 1.3 if a chirp is inside:
//   relative L2  <=  c u sqrt(log2 N), or 4 u up to N = 64, where roundings do not average out;
//   each value   <=  12 u of the largest.
// A spectrum that is multiplied and transformed back has 2 log2 N stages, and sqrt 2 times 12 u.
// Functors that round each element r times add r u. Outputs stored in a lower precision than the
// arithmetic add its roundoff v, 2^-11 for fp16 and 2^-8 for bf16: v to each value; to the mean of
// k values 0.614 (1 + 1.5 / sqrt k) v, which is above the v / sqrt 3 of any noise, and v at most.
#pragma once

#include <cstddef>  // size_t
#include <optional>

#include "wingbeat/plan.hpp"  // precision

namespace wingbeat::verify {

/// How an output was computed; its errors depend on this.
struct computation {
  long double n;  ///< The length of the transforms.
  precision real;
  double n_roundings = 0;  ///< Most roundings of an element outside the transform.
  double floor = 0;        ///< Absolute error of each value, for example of functors that
                           ///< underflow.
  int n_transforms = 1;    ///< One after another.
  std::optional<precision> stored = {};  ///< Precision of the output; unset: `real`.
};

/// The errors that are allowed.
struct error_bound {
  double relative_l2;  ///< Bound of the norm of all errors, before storing.
  double largest;      ///< Bound of each error, relative to the largest value,
  double stored;       ///< and from storing, relative to the value itself.
  double floor;        ///< Absolute bound of each error in addition.
};
[[nodiscard]] error_bound bound_of(const computation& how);

/// Returns half the distance from 1 to the next number.
[[nodiscard]] double unit_roundoff(precision real) noexcept;

/// Returns c u sqrt(log2 N) for fp64 arithmetic, or else for fp32.
[[nodiscard]] double relative_bound(long double n, precision real);

}  // namespace wingbeat::verify
