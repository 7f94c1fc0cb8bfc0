// SPDX-License-Identifier: Apache-2.0
#include "cli/window.hpp"

#include <algorithm>  // min
#include <cmath>      // cos
#include <numbers>    // pi

namespace wingbeat::cli {
namespace {

/// Returns the coefficients a. Flat top: D'Antona and Ferrero, Digital Signal Processing for
/// Measurement Systems (2006); Blackman-Harris: the minimum of four terms, -92 dB.
std::vector<double> coefficients_of(window shape) {
  switch (shape) {
    case window::rectangular: return {1};
    case window::hann: return {0.5, 0.5};
    case window::hamming: return {0.54, 0.46};
    case window::blackman: return {0.42, 0.5, 0.08};
    case window::blackman_harris: return {0.35875, 0.48829, 0.14128, 0.01168};
    case window::flat_top: return {0.21557895, 0.41663158, 0.277263158, 0.083578947, 0.006947368};
  }
  return {1};
}

}  // namespace

std::string_view name_of(window shape) noexcept {
  switch (shape) {
    case window::rectangular: return "rectangular";
    case window::hann: return "hann";
    case window::hamming: return "hamming";
    case window::blackman: return "blackman";
    case window::blackman_harris: return "blackman-harris";
    case window::flat_top: return "flat-top";
  }
  return "";
}

std::vector<double> samples_of(window shape, std::size_t n) {
  const std::vector<double> a = coefficients_of(shape);
  std::vector<double> weights(n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t m = 0; m < a.size(); ++m) {
      const std::size_t turn = std::min(m * i % n, n - m * i % n);  // w[i] is w[n - i]
      const double cosine =
          std::cos(2 * std::numbers::pi * static_cast<double>(turn) / static_cast<double>(n));
      weights[i] += (m % 2 == 0 ? a[m] : -a[m]) * cosine;
    }
  }
  return weights;
}

double noise_bandwidth_bins(const std::vector<double>& weights) {
  double sum = 0, sum_of_squares = 0;
  for (const double w : weights) {
    sum += w;
    sum_of_squares += w * w;
  }
  return static_cast<double>(weights.size()) * sum_of_squares / (sum * sum);
}

}  // namespace wingbeat::cli
