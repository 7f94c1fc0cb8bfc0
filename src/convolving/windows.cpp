// SPDX-License-Identifier: Apache-2.0
#include "convolving/windows.hpp"

#include <algorithm>  // fill_n, max, min
#include <cmath>      // abs, ilogb, isfinite, ldexp, sqrt
#include <limits>

#include "convolving/window_sums.hpp"  // window_sums

namespace wingbeat::convolving {
namespace {

/// Returns how many elements of the window at a place lie within the image.
std::size_t n_inside(const axis_geometry& axis, std::size_t place) {
  const std::size_t end = std::min(place + axis.kernel, axis.image_at + axis.image);
  return end - std::max(place, axis.image_at);
}

/// Scales values far from 1 by an exact power of two, so that neither their squares nor their
/// transforms leave the range of Real; coefficients do not change.
template <class Real>
std::vector<Real> within_range(std::vector<Real> image) {
  Real largest = 0;
  for (const Real value : image) largest = std::max(largest, std::abs(value));
  const bool is_far = largest < Real{0x1p-40} || largest > Real{0x1p60};
  if (largest == 0 || !std::isfinite(largest) || !is_far) return image;
  const int exponent = std::ilogb(largest);
  for (Real& value : image) value = std::ldexp(value, -exponent);
  return image;
}

template <class Real>
double mean_of(const std::vector<Real>& image) {
  double sum = 0;
  for (const Real value : image) sum += double(value);
  return sum / static_cast<double>(image.size());
}

}  // namespace

template <class Real>
centred_image<Real> centred(const std::vector<Real>& given, const std::vector<axis_geometry>& axes,
                            double error) {
  const std::vector<Real> image = within_range(given);
  centred_image<Real> result;
  result.mean = static_cast<Real>(mean_of(image));
  double energy = 0;
  for (const Real value : image) {
    result.values.push_back(value - result.mean);
    energy += double(result.values.back()) * double(result.values.back());
  }
  constexpr double rounding = std::numeric_limits<Real>::epsilon();
  const double of_sums = 4 * std::numeric_limits<double>::epsilon() *
                         static_cast<double>(axes[0].kernel + axes[1].kernel);
  const auto n = static_cast<double>(axes[0].kernel * axes[1].kernel);
  const double as_image = energy / static_cast<double>(image.size()) * n;
  const double least_variation = std::max(rounding * rounding * energy, error * error * as_image);
  const double mean = result.mean;
  const axis_geometry &y = axes[0], &x = axes[1];
  window_sums windows{x.result() + x.kernel - 1, y.kernel, x.kernel, 2};
  for (std::size_t row = 0; row < y.result() + y.kernel - 1; ++row) {
    std::fill_n(windows.row(0), 2 * (x.result() + x.kernel - 1), 0.0);
    for (std::size_t i = 0; i < x.image && row - y.image_at < y.image; ++i) {
      const double value = result.values[(row - y.image_at) * x.image + i];
      windows.row(0)[x.image_at + i] = value;
      windows.row(1)[x.image_at + i] = value * value;
    }
    if (!windows.push()) continue;
    for (std::size_t i = 0; i < x.result(); ++i) {
      const double sum = windows.sums(0)[i], squares = windows.sums(1)[i];
      const auto inside = static_cast<double>(n_inside(y, row + 1 - y.kernel) * n_inside(x, i));
      // The sum of (f - its mean)^2 over all n of the window, with f = g + mean in the image and 0
      // outside: the same sum of g, plus the contribution of the step at the image's edge.
      const double step = (1 - inside / n) * mean * (2 * sum + mean * inside);
      const double variation = squares - sum * sum / n + step;
      const bool is_constant = variation <= std::max(least_variation, of_sums * squares);
      result.inverse_norms.push_back(is_constant ? Real{0}
                                                 : static_cast<Real>(1 / std::sqrt(variation)));
    }
  }
  return result;
}

template centred_image<float> centred(const std::vector<float>&, const std::vector<axis_geometry>&,
                                      double);
template centred_image<double> centred(const std::vector<double>&,
                                       const std::vector<axis_geometry>&, double);

}  // namespace wingbeat::convolving
