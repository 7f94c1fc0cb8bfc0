// SPDX-License-Identifier: Apache-2.0
// Sums over the windows of an image, for correlation coefficients: the part of the image under a
// template, without its mean and divided by its norm. Outside the image are zeros.
#pragma once

#include <vector>

#include "convolving/geometry.hpp"  // axis_geometry

namespace wingbeat::convolving {

/// An image without its mean, so that transforms in Real keep small contrasts on large offsets.
template <class Real>
struct centred_image {
  Real mean = 0;
  std::vector<Real> values;  // [y][x], the image minus `mean`
  /// 1 / sqrt(sum of (f - mean of the window)^2) for each place of the result; 0 where the window
  /// is constant, or varies less than the transforms round. [result y][result x]
  std::vector<Real> inverse_norms;
};

/// Returns both for an image [y][x] and templates that are correlated with it, of that geometry.
template <class Real>
[[nodiscard]] centred_image<Real> centred(const std::vector<Real>& image,
                                          const std::vector<axis_geometry>& axes);

extern template centred_image<float> centred(const std::vector<float>&,
                                             const std::vector<axis_geometry>&);
extern template centred_image<double> centred(const std::vector<double>&,
                                              const std::vector<axis_geometry>&);

}  // namespace wingbeat::convolving
