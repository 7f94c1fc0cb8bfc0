// SPDX-License-Identifier: Apache-2.0
// The distance of a result from the reference, and the bounds of the accuracy table:
//   relative L2  <=  c u sqrt(log2 N),  c = 1 (fp32) or 1.25 (fp64), or 4 u up to N = 64;
//   largest      <=  12 u of the largest output,      u = 2^-24 (fp32) or 2^-53 (fp64).
// fp16 and bf16 are computed in fp32, so they add one rounding to its bounds: 2^-11 or 2^-8.
#pragma once

#include <cstddef>  // size_t
#include <span>

#include "wingbeat/plan.hpp"  // precision

namespace wingbeat::cli {

/// The kind of a result's values.
enum class element { real, complex };

/// The distance between a result and its reference.
struct agreement {
  double largest_value = 0;  ///< Largest magnitude in the reference.
  double largest_error = 0;  ///< Largest magnitude of a difference; infinite if one is NaN.
  double relative_l2 = 0;    ///< Infinite if the reference is zero and the result is not.
  double relative_l2_bound = 0;
  double norm_error = 0;  ///< Of a sample: the distance of the norms of all values, see add_norms.
  std::size_t n_values = 0;
  std::size_t n_off = 0;   ///< Values off by more than 1e-4 of the largest, in re or im.
  bool is_within = false;  ///< Both bounds hold.
};

/// Returns the bound of relative L2 of transforms of length n.
[[nodiscard]] double relative_bound(std::size_t n, precision real);

/// Compares `result` with `expected`, both of the same size, the output of transforms of length n
/// computed in the given precision. Of a sample, `share_l2` is what falls on it of the norm of all
/// values, sqrt(sampled / all) ||X||: errors of loud values are spread over quiet ones too, so the
/// errors are relative to sqrt(||sample||^2 + share_l2^2), and k of them may be 1 + 1.5 / sqrt(k)
/// times as large.
[[nodiscard]] agreement compare(std::span<const double> result, std::span<const double> expected,
                                element kind, std::size_t n, precision real, double share_l2 = 0);

/// Adds to the agreement of a sample whether the norm of all `n_values` of a result keeps the bound
/// of relative L2, which the norms of a result and its errors cannot differ without breaking:
///   | ||y|| - ||X|| | <= ||y - X|| <= c ||X||.
void add_norms(agreement& of_sample, double result_norm, double expected_norm, std::size_t n_values,
               std::size_t n, precision real);

}  // namespace wingbeat::cli
