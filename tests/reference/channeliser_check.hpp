// SPDX-License-Identifier: Apache-2.0
// Recordings, and values of heaps, for the tests of the reference channeliser.
#pragma once

#include <cmath>  // cos, nearbyint
#include <complex>
#include <cstddef>  // size_t
#include <cstdint>  // int16_t
#include <numbers>  // pi
#include <numeric>  // accumulate
#include <random>
#include <vector>

#include "channelising/arithmetic/quantise.hpp"  // load_complex
#include "channelising/arithmetic/weights.hpp"   // filter_weights
#include "reference/channeliser.hpp"             // channelise

namespace wingbeat::test {

using samples = std::vector<std::int16_t>;
using std::numbers::pi;

/// A description with small heaps, without dither, of one polarisation.
inline channeliser_spec small_spec(std::size_t channels) {
  channeliser_spec spec;
  spec.adc_rate_hz = 1712e6;
  spec.channels = channels;
  spec.polarisations = 1;
  spec.spectra_per_heap = 16;
  spec.dither = dither_kind::none;
  return spec;
}

/// Returns samples of amplitude cos(2 pi (frequency t + turns)), rounded.
inline samples tone(std::size_t n, double amplitude, double frequency, double turns = 0) {
  samples all(n);
  for (std::size_t t = 0; t < n; ++t) {
    const double phase = std::fmod(frequency * static_cast<double>(t), 1.0) + turns;
    all[t] = static_cast<std::int16_t>(std::nearbyint(amplitude * std::cos(2 * pi * phase)));
  }
  return all;
}

/// Returns amplitude exp(2 pi i (frequency t + turns)), rounded.  [sample][re, im]
inline samples phasor(std::size_t n, double amplitude, double frequency, double turns = 0) {
  const samples re = tone(n, amplitude, frequency, turns),
                im = tone(n, amplitude, frequency, turns - 0.25);
  samples result;
  for (std::size_t t = 0; t < n; ++t) result.insert(result.end(), {re[t], im[t]});
  return result;
}

/// Returns white noise, limited to `limit`.
inline samples gaussian(std::size_t n, double rms, unsigned seed, double limit = 511) {
  std::mt19937 bits{seed};
  std::normal_distribution<double> normal(0, rms);
  samples all(n);
  for (auto& x : all) {
    x = static_cast<std::int16_t>(std::nearbyint(std::clamp(normal(bits), -limit, limit)));
  }
  return all;
}

/// Returns the samples for so many heaps.
inline std::size_t samples_for(const channeliser_spec& spec, std::size_t n_heaps) {
  const auto sizes = sizes_of(spec);
  return n_heaps * sizes.heap_samples + sizes.window_samples - sizes.spectrum_samples;
}

/// Returns the sum of the weights: the magnitude that a phasor of amplitude 1 gives, and twice the
/// magnitude that a tone gives.
inline double coherent_gain(const channeliser_spec& spec) {
  const auto weights = channelising::filter_weights(
      {sizes_of(spec).transform, spec.taps, spec.window, spec.weight_cutoff});
  return std::accumulate(weights.begin(), weights.end(), 0.0);
}

/// Returns the place of a value in a heap.
inline std::size_t place_of(const channeliser_spec& spec, std::size_t channel, std::size_t spectrum,
                            std::size_t pol = 0) {
  return (channel * sizes_of(spec).spectra_per_heap + spectrum) * spec.polarisations + pol;
}

/// Returns the value that a heap's bytes hold.
inline std::complex<double> stored_value(const channeliser_spec& spec, const reference::heap& heap,
                                         std::size_t place) {
  const std::size_t n_bytes = channelising::complex_bytes(spec.output);
  return channelising::load_complex(std::span(heap.bytes).subspan(place * n_bytes, n_bytes),
                                    spec.output);
}

/// Returns the angle between two values, in radians from 0 to pi.
inline double angle_between(std::complex<double> a, std::complex<double> b) {
  return std::abs(std::arg(a * std::conj(b)));
}

}  // namespace wingbeat::test
