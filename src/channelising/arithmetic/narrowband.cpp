// SPDX-License-Identifier: Apache-2.0
#include "channelising/arithmetic/narrowband.hpp"

#include <algorithm>  // clamp, max
#include <cmath>      // abs, cos, fmod, log10, pow, sin, sqrt
#include <numbers>    // pi

namespace wingbeat::channelising {
namespace {

using std::numbers::pi;

/// Returns the modified Bessel function I0, the sum of ((x/2)^k/k!)^2.
double bessel_i0(double x) {
  double sum = 1, term = 1;
  for (int k = 1; term > sum * 1e-17; ++k) {
    term *= x / 2 / k * (x / 2 / k);
    sum += term;
  }
  return sum;
}

/// Kaiser's rule: the window's parameter for an attenuation in dB.
double kaiser_beta(double attenuation_db) {
  if (attenuation_db > 50) return 0.1102 * (attenuation_db - 8.7);
  if (attenuation_db < 21) return 0;
  return 0.5842 * std::pow(attenuation_db - 21, 0.4) + 0.07886 * (attenuation_db - 21);
}

}  // namespace

std::uint64_t turn_per_sample(double frequency_hz, double rate_hz) {
  // Long division in base 2: doubling is exact, and so is subtracting a divisor of at least half
  // the number.
  double rest = std::fmod(std::abs(frequency_hz), rate_hz);
  std::uint64_t turn = 0;
  const auto next_bit = [&]() -> std::uint64_t {
    rest *= 2;
    if (rest < rate_hz) return 0;
    rest -= rate_hz;
    return 1;
  };
  for (int bit = 0; bit < 64; ++bit) turn = turn << 1 | next_bit();
  turn += next_bit();
  return frequency_hz < 0 ? 0 - turn : turn;
}

std::complex<double> mixer(std::uint64_t turn, std::int64_t t) {
  const auto phase = static_cast<std::int64_t>(turn * static_cast<std::uint64_t>(t));
  const double angle = -2 * pi * std::ldexp(static_cast<double>(phase), -64);
  return {std::cos(angle), std::sin(angle)};
}

double designed_attenuation_db(const decimating_filter& filter) {
  const double width = (1 - 2 * filter.pass_edge) / static_cast<double>(filter.subsampling);
  const double attenuation = 7.95 + 14.36 * static_cast<double>(filter.taps - 1) * width;
  return std::clamp(attenuation, 0.0, 140.0);
}

std::vector<double> filter_taps(const decimating_filter& filter) {
  const double beta = kaiser_beta(designed_attenuation_db(filter));
  const double middle = static_cast<double>(filter.taps - 1) / 2;
  std::vector<double> taps(filter.taps);
  double sum = 0;
  for (std::size_t a = 0; a < filter.taps; ++a) {
    const double offset = static_cast<double>(a) - middle;
    const double turns = offset / static_cast<double>(filter.subsampling);
    const double sinc = offset == 0 ? 1 : std::sin(pi * turns) / (pi * turns);
    const double edge = middle == 0 ? 0 : offset / middle;
    taps[a] = sinc * bessel_i0(beta * std::sqrt(std::max(0.0, 1 - edge * edge)));
    sum += taps[a];
  }
  const double scale = std::sqrt(static_cast<double>(filter.subsampling)) / sum;
  for (double& tap : taps) tap *= scale;
  return taps;
}

namespace {

/// Returns the gain of symmetric taps at a frequency in cycles per input sample.
double gain_at(std::span<const double> taps, double frequency) {
  const double middle = static_cast<double>(taps.size() - 1) / 2;
  // The phase rotates from tap to tap, beginning at the first tap.
  std::complex<double> phase = std::polar(1.0, -2 * pi * frequency * middle);
  const std::complex<double> turn = std::polar(1.0, 2 * pi * frequency);
  double sum = 0;
  for (const double tap : taps) {
    sum += tap * phase.real();
    phase *= turn;
  }
  return std::abs(sum);
}

double decibels(double ratio) {
  return 20 * std::log10(std::max(ratio, 1e-15));
}

}  // namespace

filter_response response_of(const decimating_filter& filter) {
  constexpr int n_steps = 64, max_bands = 4;
  const auto taps = filter_taps(filter);
  const auto s = static_cast<double>(filter.subsampling);
  const double whole = gain_at(taps, 0);
  filter_response response{.alias_db = decibels(0)};
  for (int step = 0; step <= n_steps; ++step) {
    const double offset = filter.pass_edge * step / n_steps;
    const double ripple = std::abs(decibels(gain_at(taps, offset / s) / whole));
    response.ripple_db = std::max(response.ripple_db, ripple);
    // Bands further away are attenuated more, because the side lobes of the taps decrease.
    for (int band = 1; band <= max_bands && band <= (s + 1) / 2; ++band) {
      for (const double folded : {band - offset, band + offset}) {
        response.alias_db =
            std::max(response.alias_db, decibels(gain_at(taps, folded / s) / whole));
      }
    }
  }
  return response;
}

double widest_pass_band(const decimating_filter& filter, double attenuation_db) {
  if (filter.taps < 2) return 0;
  // Inverts the formula of the designed attenuation.
  const double width = (attenuation_db - 7.95) / (14.36 * static_cast<double>(filter.taps - 1));
  return std::max(0.0, 1 - width * static_cast<double>(filter.subsampling));
}

std::vector<std::complex<double>> downconverted(std::span<const std::int16_t> samples,
                                                std::int64_t first_sample,
                                                std::span<const double> taps,
                                                std::size_t subsampling, std::uint64_t turn) {
  if (samples.size() < taps.size()) return {};
  std::vector<std::complex<double>> mixed(taps.size());
  for (std::size_t a = 0; a < taps.size(); ++a) {
    mixed[a] = taps[a] * mixer(turn, static_cast<std::int64_t>(a));
  }
  const std::size_t n_outputs = (samples.size() - taps.size()) / subsampling + 1;
  std::vector<std::complex<double>> outputs(n_outputs);
  for (std::size_t j = 0; j < n_outputs; ++j) {
    std::complex<double> sum = 0;
    for (std::size_t a = 0; a < taps.size(); ++a) {
      sum += static_cast<double>(samples[subsampling * j + a]) * mixed[a];
    }
    // phi(t + a) = phi(t) + phi(a), exactly: both are products modulo 2^64.
    outputs[j] = sum * mixer(turn, first_sample + static_cast<std::int64_t>(subsampling * j));
  }
  return outputs;
}

}  // namespace wingbeat::channelising
