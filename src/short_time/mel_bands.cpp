// SPDX-License-Identifier: Apache-2.0
#include "wingbeat/mel_bands.hpp"

#include <algorithm>  // max, min
#include <cmath>      // exp, isfinite, log, log1p, expm1

#include "text/reject.hpp"  // reject_if

namespace wingbeat {
namespace {

const double htk_factor = 2595 / std::log(10.0);
constexpr double slaney_slope = 3.0 / 200, slaney_break_hz = 1000, slaney_break_mels = 15;

double slaney_step() {
  return std::log(6.4) / 27;
}

void require_valid(const mel_bands& wanted) {
  reject_if(wanted.bands == 0, "bands is 0; give the number of mel bands");
  reject_if(wanted.n_fft == 0, "n_fft is 0; give the samples of a frame");
  reject_if(!std::isfinite(wanted.rate_hz) || wanted.rate_hz <= 0,
            "rate_hz is {}; give samples a second, above 0", wanted.rate_hz);
  const double high = wanted.high_hz == 0 ? wanted.rate_hz / 2 : wanted.high_hz;
  const bool is_range = wanted.low_hz >= 0 && wanted.low_hz < high && high <= wanted.rate_hz / 2;
  reject_if(!is_range,
            "bands reach from {} to {} Hz and samples to {}; give a range within it, low_hz below "
            "high_hz",
            wanted.low_hz, high, wanted.rate_hz / 2);
}

}  // namespace

double mels_of(double hertz, mel_scale scale) {
  if (scale == mel_scale::htk) return htk_factor * std::log1p(hertz / 700);
  if (hertz < slaney_break_hz) return slaney_slope * hertz;
  return slaney_break_mels + std::log(hertz / slaney_break_hz) / slaney_step();
}

double hertz_of(double mels, mel_scale scale) {
  if (scale == mel_scale::htk) return 700 * std::expm1(mels / htk_factor);
  if (mels < slaney_break_mels) return mels / slaney_slope;
  return slaney_break_hz * std::exp((mels - slaney_break_mels) * slaney_step());
}

std::vector<double> mel_weights(const mel_bands& wanted) {
  require_valid(wanted);
  const double high_hz = wanted.high_hz == 0 ? wanted.rate_hz / 2 : wanted.high_hz;
  const double low = mels_of(wanted.low_hz, wanted.scale), high = mels_of(high_hz, wanted.scale);
  const auto edge_mels = [&](std::size_t i) {
    return low + (high - low) * static_cast<double>(i) / static_cast<double>(wanted.bands + 1);
  };
  const auto edge_hertz = [&](std::size_t i) { return hertz_of(edge_mels(i), wanted.scale); };
  const std::size_t bins = wanted.n_fft / 2 + 1;
  std::vector<double> weights(wanted.bands * bins);
  for (std::size_t m = 0; m < wanted.bands; ++m) {
    const auto edge = [&](std::size_t i) {
      return wanted.are_straight_in_mels ? edge_mels(m + i) : edge_hertz(m + i);
    };
    const double left = edge(0), centre = edge(1), right = edge(2);
    const double area = wanted.have_equal_areas ? 2 / (edge_hertz(m + 2) - edge_hertz(m)) : 1;
    for (std::size_t k = 0; k < bins; ++k) {
      const double hertz =
          static_cast<double>(k) * wanted.rate_hz / static_cast<double>(wanted.n_fft);
      const double place = wanted.are_straight_in_mels ? mels_of(hertz, wanted.scale) : hertz;
      const double rising = (place - left) / (centre - left);
      const double falling = (right - place) / (right - centre);
      weights[m * bins + k] = std::max(0.0, std::min(rising, falling)) * area;
    }
  }
  return weights;
}

}  // namespace wingbeat
