// SPDX-License-Identifier: Apache-2.0
// Sums over the windows of an image, for correlation coefficients: the part of the image under a
// template, minus its mean and divided by its norm. Outside the image are zeros.
#pragma once

#include <vector>

#include "convolving/geometry.hpp"  // axis_geometry
#include "wingbeat/plan.hpp"        // precision

namespace wingbeat::convolving {

/// Returns a bound on the root mean square error of a coefficient by storage between launches, for
/// a window that varies as the whole image does; elsewhere multiply it by the ratio of their
/// standard deviations. 0 if the stored type is as precise as the arithmetic.
[[nodiscard]] constexpr double coefficient_error(precision between) {
  return between == precision::fp16 ? 0x1p-8 : between == precision::bf16 ? 0x1p-5 : 0;
}

/// An image minus its mean, so that transforms in Real keep small contrasts on large offsets; if
/// its values are far from 1, also multiplied by a power of two.
template <class Real>
struct centred_image {
  Real mean = 0;
  std::vector<Real> values;  // [y][x], the image minus `mean`
  /// 1 / sqrt(sum of (f - mean of the window)^2) for each place of the result; 0 where the window
  /// is constant, varies less than the transforms round, or so little that its error reaches 1.
  /// [result y][result x]
  std::vector<Real> inverse_norms;
};

/// Returns both for an image [y][x] and templates of that geometry. error: of `coefficient_error`.
template <class Real>
[[nodiscard]] centred_image<Real> centred(const std::vector<Real>& image,
                                          const std::vector<axis_geometry>& axes, double error);

extern template centred_image<float> centred(const std::vector<float>&,
                                             const std::vector<axis_geometry>&, double);
extern template centred_image<double> centred(const std::vector<double>&,
                                              const std::vector<axis_geometry>&, double);

}  // namespace wingbeat::convolving
