// SPDX-License-Identifier: Apache-2.0
#include "channelising/weights.hpp"

#include <cmath>    // sin, sqrt
#include <numbers>  // pi

namespace wingbeat::channelising {
namespace {

using std::numbers::pi;

double sinc(double x) {
  return x == 0 ? 1 : std::sin(pi * x) / (pi * x);
}

}  // namespace

std::vector<double> filter_weights(const filter_shape& shape) {
  const std::size_t length = shape.step * shape.taps;
  const double step = static_cast<double>(shape.step);
  std::vector<double> weights(length);
  double energy = 0;
  for (std::size_t i = 0; i < length; ++i) {
    const double at = static_cast<double>(i);
    const double sine = std::sin(pi * at / static_cast<double>(length - 1));
    const double window = shape.window == filter_window::hann ? sine * sine : 1;
    const double offset = (at + 0.5) / step - static_cast<double>(shape.taps) / 2;
    weights[i] = window * sinc(shape.cutoff * offset);
    energy += weights[i] * weights[i];
  }
  for (double& w : weights) w /= std::sqrt(energy);
  return weights;
}

}  // namespace wingbeat::channelising
