// SPDX-License-Identifier: Apache-2.0
#include "channelising/arithmetic/weights.hpp"

#include <cmath>    // ldexp, sin, sqrt
#include <numbers>  // pi

#include "channelising/spec.hpp"                   // parts_of
#include "wingbeat/device/channeliser/packed.hpp"  // packed_offset

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
  // The second half mirrors the first exactly.
  for (std::size_t i = 0; i < (length + 1) / 2; ++i) {
    const double place = static_cast<double>(i);
    const double sine = std::sin(pi * place / static_cast<double>(length - 1));
    const double window = shape.window == filter_window::hann ? sine * sine : 1;
    const double offset = (place + 0.5) / step - static_cast<double>(shape.taps) / 2;
    weights[i] = weights[length - 1 - i] = window * sinc(shape.cutoff * offset);
  }
  for (const double w : weights) energy += w * w;
  for (double& w : weights) w /= std::sqrt(energy);
  return weights;
}

std::vector<float> rounded_weights(const channeliser_spec& spec) {
  const auto exact =
      filter_weights({sizes_of(spec).transform, spec.taps, spec.window, spec.weight_cutoff});
  return {exact.begin(), exact.end()};
}

std::vector<float> window_weights(const channeliser_spec& spec, std::size_t length, int exponent) {
  const std::size_t parts = parts_of(spec);
  const auto exact = filter_weights({length / parts, spec.taps, spec.window, spec.weight_cutoff});
  const double scale = std::ldexp(1, static_cast<int>(spec.sample_bits) + exponent);
  const double offset = device::channeliser::packed_offset(spec.sample_bits);
  std::vector<float> weights;
  weights.reserve(parts * exact.size() + length);
  for (const double w : exact) weights.insert(weights.end(), parts, static_cast<float>(w * scale));
  for (std::size_t j = 0; j < length; ++j) {
    double sum = 0;
    for (std::size_t m = 0; m < spec.taps; ++m) {
      sum += static_cast<double>(weights[m * length + j]);
    }
    weights.push_back(static_cast<float>(-offset * sum));
  }
  return weights;
}

}  // namespace wingbeat::channelising
