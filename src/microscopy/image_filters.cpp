// SPDX-License-Identifier: Apache-2.0
#include "microscopy/image_filters.hpp"

#include <cmath>    // cos, isfinite
#include <numbers>  // pi

#include "text/reject.hpp"  // reject

namespace wingbeat::microscopy {
namespace {

void require_valid(const bandpass_options& band) {
  if (!band.enabled) return;
  if (band.low_freq_cutoff >= 0 && band.high_freq_cutoff > band.low_freq_cutoff &&
      band.falloff >= 0 && std::isfinite(band.high_freq_cutoff) && std::isfinite(band.falloff)) {
    return;
  }
  reject(
      "the bandpass is from {} to {} with a falloff of {}; give cycles/pixel "
      "from 0 on, the low cutoff below the high one",
      band.low_freq_cutoff, band.high_freq_cutoff, band.falloff);
}

}  // namespace

double bandpass_options::at(double frequency) const {
  if (!enabled) return 1;
  const bool is_low = frequency <= low_freq_cutoff;
  if (!is_low && frequency <= high_freq_cutoff) return 1;
  const double distance = is_low ? low_freq_cutoff - frequency : frequency - high_freq_cutoff;
  // The ramp's end belongs to it above the band, and not below; it is 0 in either case.
  return distance < falloff ? std::cos(std::numbers::pi / 2 * distance / falloff) : 0;
}

double radial_filter::at(double frequency) const {
  double product = bandpass.at(frequency);
  for (const radial_curve& curve : curves) product *= curve.at(frequency);
  return product;
}

radial_filter filter_of(std::span<const std::complex<float>> spectrum, const half_plane& plane,
                        const filter_options& options) {
  require_valid(options.bandpass);
  radial_filter result{.bandpass = options.bandpass};
  if (options.whitening.enabled) {
    result.curves.push_back(whitening_curve(spectrum, plane, options.whitening));
  }
  if (options.curve) {
    require_valid(*options.curve);
    result.curves.push_back(*options.curve);
  }
  return result;
}

}  // namespace wingbeat::microscopy
