// SPDX-License-Identifier: Apache-2.0
// The errors that rounding may cause, whoever compares. With u the unit roundoff of what is
// computed (2^-24, fp64 2^-53), N the logical length and c = 1 (fp64 1.25), 1.3 times as much where
// a chirp is inside:
//   relative L2  <=  c u sqrt(log2 N), or 4 u up to N = 64, where roundings do not average out;
//   each value   <=  12 u of the largest.
// A spectrum that is multiplied and transformed back has 2 log2 N stages, and sqrt 2 times 12 u.
// Functors that round each element r times add r u. Outputs stored in a precision below that of
// computing add its roundoff v, 2^-11 of fp16 and 2^-8 of bf16: v of each value, in the mean of k
// values 0.614 (1 + 1.5 / sqrt k) v, which is above the v / sqrt 3 of any noise, and v at most.
#pragma once

#include <cstddef>  // size_t
#include <optional>

#include "wingbeat/plan.hpp"  // precision

namespace wingbeat::verify {

/// How an output was computed, on which its errors depend.
struct computation {
  long double n;  ///< The length whose transforms they are.
  precision real;
  double n_roundings = 0;  ///< Of each element, at most, beside those of the transform.
  double floor = 0;        ///< An absolute error of each value, as of functors that underflow.
  int n_transforms = 1;    ///< One after another.
  std::optional<precision> stored = {};  ///< Of the output; unset: `real`.
};

/// The errors that are allowed.
struct error_bound {
  double relative_l2;  ///< Of the norm of all values, before they are stored.
  double largest;      ///< Of each value, as a share of the largest,
  double stored;       ///< and as a share of the value itself: what storing it adds.
  double floor;        ///< Of each value, beside the others, absolute.
};
[[nodiscard]] error_bound bound_of(const computation& how);

/// Returns half the distance from 1 to the next number.
[[nodiscard]] double unit_roundoff(precision real) noexcept;

/// Returns c u sqrt(log2 N), computed in fp64, or else in fp32.
[[nodiscard]] double relative_bound(long double n, precision real);

}  // namespace wingbeat::verify
