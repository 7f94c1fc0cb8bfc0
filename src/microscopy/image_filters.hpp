// SPDX-License-Identifier: Apache-2.0
// What an image and its templates are filtered by, in options and as a function of the frequency.
#pragma once

#include <complex>
#include <optional>
#include <span>
#include <vector>

#include "microscopy/half_plane.hpp"  // half_plane
#include "microscopy/whitening.hpp"   // radial_curve, whitening_options

namespace wingbeat::microscopy {

/// 1 at frequencies above `low_freq_cutoff` up to `high_freq_cutoff`; beyond both a quarter of a
/// cosine's period takes it to 0 within `falloff`. In cycles/pixel.
struct bandpass_options {
  bool enabled = false;
  double low_freq_cutoff = 0, high_freq_cutoff = 1;
  double falloff = 0;

  [[nodiscard]] double at(double frequency) const;
};

struct filter_options {
  whitening_options whitening = {};
  bandpass_options bandpass = {};
  std::optional<radial_curve> curve = {};
};

/// The product of curves and a bandpass.
struct radial_filter {
  std::vector<radial_curve> curves = {};
  bandpass_options bandpass = {};

  [[nodiscard]] double at(double frequency) const;
};

/// Returns the filter of an image with this spectrum. Throws as `whitening_curve` does, and
/// `plan_error` for cutoffs that are no frequencies or curves that are not valid.
[[nodiscard]] radial_filter filter_of(std::span<const std::complex<float>> spectrum,
                                      const half_plane& plane, const filter_options& options);

}  // namespace wingbeat::microscopy
