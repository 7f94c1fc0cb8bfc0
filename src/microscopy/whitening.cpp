// SPDX-License-Identifier: Apache-2.0
#include "microscopy/whitening.hpp"

#include <algorithm>   // adjacent_find, all_of, max, min, upper_bound
#include <cmath>       // abs, hypot, isfinite, sqrt
#include <functional>  // greater_equal
#include <numbers>     // sqrt2

#include "text/reject.hpp"  // reject

namespace wingbeat::microscopy {
namespace {

constexpr std::size_t max_points = std::size_t{1} << 24;

std::size_t points_of(const half_plane& plane, const whitening_options& options) {
  if (options.num_freq_bins == 0) {
    const std::size_t longest = std::max(plane.height, plane.columns());
    return static_cast<std::size_t>(static_cast<double>(longest / 2 + 1) * std::numbers::sqrt2 + 1);
  }
  if (options.num_freq_bins >= 2 && options.num_freq_bins <= max_points) {
    return options.num_freq_bins;
  }
  reject("num_freq_bins is {}; choose from 2 to {}, or 0 for the usual number",
         options.num_freq_bins, max_points);
}

/// Returns the mean power, or magnitude, of the bins about each point.
std::vector<double> mean_powers(std::span<const std::complex<float>> spectrum,
                                const half_plane& plane, std::size_t points, double step,
                                bool is_squared) {
  std::vector<double> sums(points), weights(points);
  for (std::size_t bin = 0; bin < spectrum.size(); ++bin) {
    const double magnitude = std::abs(std::complex<double>{spectrum[bin]});
    const double power = is_squared ? magnitude * magnitude : magnitude;
    const double place = plane.radius(bin) / step;
    const std::size_t below = std::min(static_cast<std::size_t>(place), points - 2);
    const double upper = place - static_cast<double>(below);
    sums[below] += (1 - upper) * power, weights[below] += 1 - upper;
    sums[below + 1] += upper * power, weights[below + 1] += upper;
  }
  // A weight by rounding alone, of a bin at the next point, is none.
  constexpr double rounding = 1e-9;
  for (std::size_t i = 0; i < points; ++i) {
    sums[i] = weights[i] < rounding ? 0 : sums[i] / weights[i];
  }
  return sums;
}

}  // namespace

double radial_curve::at(double frequency) const {
  if (frequency < frequencies.front() || frequency >= frequencies.back()) return 1;
  const auto above = std::upper_bound(frequencies.begin(), frequencies.end(), frequency);
  const auto i = static_cast<std::size_t>(above - frequencies.begin());
  const double part = (frequency - frequencies[i - 1]) / (frequencies[i] - frequencies[i - 1]);
  return values[i - 1] + part * (values[i] - values[i - 1]);
}

void require_valid(const radial_curve& curve) {
  const auto& frequencies = curve.frequencies;
  if (frequencies.size() < 2 || frequencies.size() != curve.values.size()) {
    reject(
        "a curve has {} frequencies and {} values; give as many of both, at "
        "least 2",
        frequencies.size(), curve.values.size());
  }
  const auto is_finite = [](double value) { return std::isfinite(value); };
  if (!std::all_of(frequencies.begin(), frequencies.end(), is_finite) ||
      !std::all_of(curve.values.begin(), curve.values.end(), is_finite) ||
      std::adjacent_find(frequencies.begin(), frequencies.end(), std::greater_equal<>{}) !=
          frequencies.end()) {
    reject(
        "a curve's frequencies do not increase, or it has values that are no numbers; "
        "give increasing frequencies in cycles/pixel and a finite value for each");
  }
}

radial_curve whitening_curve(std::span<const std::complex<float>> spectrum, const half_plane& plane,
                             const whitening_options& options) {
  if (options.max_freq && !(*options.max_freq > 0)) {
    reject("max_freq is {}; give cycles/pixel above 0, such as 0.5", *options.max_freq);
  }
  const std::size_t points = points_of(plane, options);
  const double step = std::hypot(0.5, 0.5) / static_cast<double>(points - 1);
  radial_curve curve;
  curve.values = mean_powers(spectrum, plane, points, step, options.do_power_spectrum);
  double largest = 0;
  for (std::size_t i = 0; i < points; ++i) {
    curve.frequencies.push_back(i + 1 == points ? std::hypot(0.5, 0.5)
                                                : static_cast<double>(i) * step);
    double& value = curve.values[i];
    if (value != 0) value = 1 / (options.do_power_spectrum ? std::sqrt(value) : value);
    if (!options.max_freq || curve.frequencies[i] <= *options.max_freq) {
      largest = std::max(largest, value);
    }
  }
  if (largest == 0) {
    reject(
        "the image has no power that whitening could divide by up to max_freq; give a "
        "larger max_freq, or an image that is not constant");
  }
  for (std::size_t i = 0; i < points; ++i) {
    const bool is_above = options.max_freq && curve.frequencies[i] > *options.max_freq;
    curve.values[i] = is_above ? 1 : curve.values[i] / largest;
  }
  return curve;
}

}  // namespace wingbeat::microscopy
