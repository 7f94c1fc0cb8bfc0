// SPDX-License-Identifier: Apache-2.0
// Curves over the frequency, and the one that whitens an image: the reciprocal of the root of its
// power, averaged over rings.
#pragma once

#include <complex>
#include <cstddef>  // size_t
#include <optional>
#include <span>
#include <vector>

#include "microscopy/half_plane.hpp"  // half_plane

namespace wingbeat::microscopy {

/// A curve through points, linear between them and 1 outside.
struct radial_curve {
  std::vector<double> frequencies;  ///< In cycles/pixel, increasing.
  std::vector<double> values;

  [[nodiscard]] double at(double frequency) const;
};

/// Throws `plan_error` for a curve of less than 2 points, or of points out of order.
void require_valid(const radial_curve& curve);

struct whitening_options {
  bool enabled = true;
  /// Points of the curve from 0 to sqrt(2)/2 cycles/pixel; 0: about one for each step of the
  /// image's frequencies, (max(height, width/2 + 1)/2 + 1) sqrt(2) + 1 rounded down.
  std::size_t num_freq_bins = 0;
  std::optional<double> max_freq = 0.5;  ///< In cycles/pixel; the curve is 1 at points above it.
  bool do_power_spectrum = true;         ///< Averages |F|^2, otherwise |F|.
};

/// Returns the curve of a half spectrum F of finite numbers: each bin adds its power to the points
/// on both sides of its frequency, the nearer one more; 1 divided by the root of their mean power
/// (0 where it is 0) divided by the largest up to `max_freq`. Throws `plan_error` for options that
/// allow no curve, and for a spectrum without power.
[[nodiscard]] radial_curve whitening_curve(std::span<const std::complex<float>> spectrum,
                                           const half_plane& plane,
                                           const whitening_options& options);

}  // namespace wingbeat::microscopy
