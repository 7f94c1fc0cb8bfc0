// SPDX-License-Identifier: Apache-2.0
// Compares elements of an output with the definition, over all axes, however long these are.
#pragma once

#include <compare>
#include <complex>
#include <cstddef>  // size_t
#include <functional>
#include <vector>

#include "verify/elements.hpp"  // byte_reader

namespace wingbeat::verify {

/// Some elements of one output transform: `first`, `first` + `step` and so on along each axis.
struct output_sample {
  struct axis {
    std::size_t first = 0;
    std::size_t step = 1;  ///< Divides the length of the axis.

    friend auto operator<=>(const axis&, const axis&) = default;
  };
  std::size_t transform = 0;
  std::vector<axis> axes = {};  ///< Slowest first.

  friend auto operator<=>(const output_sample&, const output_sample&) = default;
};

/// Returns the exact values of the sample, row-major and unscaled. A step s along an axis of
/// length N folds the input onto M = N/s elements before it is transformed, so that a few elements
/// of a long transform cost one pass over the input:
///     X[r + m s] = sum_i y[i] w_M^(im),   y[i] = sum over j = i mod M of x[j] w_N^(jr).
/// The fold sums in long double for fp64, in double otherwise; what follows is long double.
/// Transforms from reals to reals are folded along one axis after another, in long double.
[[nodiscard]] std::vector<std::complex<double>> expected_sample(const plan_spec& spec,
                                                                const output_sample& sample,
                                                                const byte_reader& input);

/// Returns how many elements of each axis are sampled in one transform, a divisor of each length:
/// all elements up to `max_points` in 2^14 rows, else 2^12 to 2^16 spread over all axes. A whole
/// row is one read, elements of a row are one read each, so both the rows and the elements of long
/// rows are limited.
[[nodiscard]] std::vector<std::size_t> sampled_lengths(const std::vector<std::size_t>& axes,
                                                       std::size_t max_points);

/// Returns the bin that an element of the last axis holds.
using bin_map = std::function<std::size_t(std::size_t index)>;

/// Returns the elements of a sample from an output.
[[nodiscard]] std::vector<std::complex<double>> read_sample(const arrays::array& out,
                                                            const output_sample& sample,
                                                            const byte_reader& output,
                                                            const bin_map& bin_at = {});

/// Returns the norm of a whole spectrum, unscaled, from its input, by Parseval's law:
///   sum of v[k] |X[k]|^2 = L sum of v[j] |x[j]|^2,   L the logical length. v is 1, but 1/2 if
/// an element of a cosine or sine transform without `orthogonalize` is its own mirror image.
[[nodiscard]] double norm_by_input(const plan_spec& spec, std::size_t transform,
                                   const byte_reader& input);

/// The strongest element and the norm of one output transform.
struct output_extremes {
  std::size_t strongest = 0;  ///< Its element of largest magnitude, or the first NaN.
  double magnitude = 0;
  double norm = 0;  ///< Norm of the whole spectrum, as `norm_by_input` returns it.
};
[[nodiscard]] output_extremes extremes_of(const plan_spec& spec, const arrays::array& out,
                                          std::size_t transform, const byte_reader& output);

}  // namespace wingbeat::verify
