// SPDX-License-Identifier: Apache-2.0
// The accuracy of a library: transforms of its output against the definition, over all axes.
#pragma once

#include <complex>
#include <cstddef>  // size_t
#include <functional>
#include <vector>

#include "cli/agreement.hpp"  // agreement
#include "cli/elements.hpp"   // byte_reader

namespace wingbeat::cli {

/// Some elements of one output transform: along each axis `first`, `first` + `step` and so on.
struct output_sample {
  struct axis {
    std::size_t first = 0;
    std::size_t step = 1;  ///< Divides the length of the axis.
  };
  std::size_t transform = 0;
  std::vector<axis> axes = {};  ///< Slowest first.
};

/// Returns the exact values of the sample, row-major. A step s along an axis of
/// length N folds the input onto M = N/s elements before it is transformed, so that a few elements
/// of a long transform cost one pass over the input:
///     X[r + m s] = sum_i y[i] w_M^(im),   y[i] = sum over j = i mod M of x[j] w_N^(jr).
/// The fold sums in long double for fp64, in double otherwise; what follows is long double.
/// Transforms from reals to reals are folded along one axis after another, in long double.
[[nodiscard]] std::vector<std::complex<double>> expected_sample(const plan_spec& spec,
                                                                const output_sample& sample,
                                                                const byte_reader& input);

/// Returns how many elements of each axis are sampled of one transform, a divisor of each length:
/// all of up to `max_points` in 2^14 rows, else 2^12 to 2^16 spread over all axes. A whole row is
/// one read, elements of a row are one read each, so both the rows and the elements of long rows
/// are limited.
[[nodiscard]] std::vector<std::size_t> sampled_lengths(const std::vector<std::size_t>& axes,
                                                       std::size_t max_points);

/// Returns the bin that an element of the last axis holds.
using bin_map = std::function<std::size_t(std::size_t index)>;

/// Returns the elements of a sample from an output.
[[nodiscard]] std::vector<std::complex<double>> read_sample(const plan_spec& spec,
                                                            const output_sample& sample,
                                                            const byte_reader& output,
                                                            const bin_map& bin_at = {});

/// Returns the numbers that `compare` reads: pairs, or reals alone.
[[nodiscard]] std::vector<double> flat(const std::vector<std::complex<double>>& values,
                                       element kind);

/// A sample of the transforms of a problem with their exact values, for all libraries compared.
class oracle {
 public:
  /// Samples the first, the middle and the last transform of the batch: whole up to 2^20 points in
  /// 2^14 rows, else 2^12 to 2^16 elements spread over all axes. The input repeats `block`.
  oracle(const plan_spec& spec, const std::vector<std::byte>& block);

  /// Returns the agreement of the worst transform. Without a map, bins are in natural order.
  [[nodiscard]] agreement judge(const byte_reader& output, const bin_map& bin_at = {}) const;

  [[nodiscard]] std::size_t n_transforms() const noexcept { return samples_.size(); }
  [[nodiscard]] std::size_t n_elements() const noexcept;

 private:
  plan_spec spec_;
  std::vector<output_sample> samples_;
  std::vector<std::vector<std::complex<double>>> expected_;  // [sample][element]
  std::vector<double> shares_;  // of each sample, as `compare` takes them; 0 of many elements
};

}  // namespace wingbeat::cli
