// SPDX-License-Identifier: Apache-2.0
// Weights of mel bands, for the features of a short-time transform.
#pragma once

#include <cstddef>  // size_t
#include <vector>

#include "wingbeat/cpp20.hpp"  // stops older C++

namespace wingbeat {

/// Mels of a frequency f in Hz.
///     htk:    2595 log10(1 + f / 700)
///     slaney: 3 f / 200 below 1 kHz, 15 + 27 ln(f / 1000) / ln 6.4 from there on
enum class mel_scale { htk, slaney };

[[nodiscard]] double mels_of(double hertz, mel_scale scale);
[[nodiscard]] double hertz_of(double mels, mel_scale scale);

/// Triangular bands whose edges are equally spaced in mels: band m rises from edge m to edge m + 1,
/// where it is 1, and falls to edge m + 2.
struct mel_bands {
  std::size_t bands = 0;
  std::size_t n_fft = 0;  ///< Bin k of n_fft / 2 + 1 is at k rate_hz / n_fft.
  double rate_hz = 0;     ///< Samples a second.
  double low_hz = 0;      ///< The first edge,
  double high_hz = 0;     ///< and the last; 0: rate_hz / 2.
  mel_scale scale = mel_scale::htk;
  bool are_straight_in_mels = false;  ///< Triangles, as Kaldi's; otherwise in Hz.
  bool have_equal_areas = false;      ///< Times 2 / (width in Hz), as librosa's "slaney".
};

/// Returns the weights, [band][bin]. Throws `plan_error`, naming the field at fault. A narrow band
/// may lie between two bins, and is then 0.
[[nodiscard]] std::vector<double> mel_weights(const mel_bands& wanted);

}  // namespace wingbeat
