// SPDX-License-Identifier: Apache-2.0
// A part of the band, mixed to 0 Hz, filtered and decimated before the filter bank. With taps h of
// length A, subsampling S, and input sample x[t]:
//
//     y[j] = sum over a < A of x[S j + a] h[a] exp(-2 pi i phi(S j + a))
//
// where phi(t) = t f/fs in turns is kept as a 64-bit fraction, so products are exact for any t.
//
// The taps are a sinc under a Kaiser window (Kaiser: Nonrecursive digital filter design using the
// I0-sinh window function, 1974). Its half-amplitude point is half the output rate fs/S, the middle
// between pass band and first stop band. The window's shape follows from the attenuation that A
// taps reach between the two edges:  attenuation = 7.95 + 14.36 (A - 1) width  dB, at most 140,
// with the width in cycles per input sample. The taps sum to sqrt(S), so that white noise keeps its
// rms.
#pragma once

#include <complex>
#include <cstddef>  // size_t
#include <cstdint>  // int16_t, int64_t, uint64_t
#include <span>
#include <vector>

namespace wingbeat::channelising {

/// Returns the turns per sample of a frequency at this rate, modulo 1, times 2^64 and rounded; a
/// negative frequency turns the other way. The quotient of the two doubles is exact.
[[nodiscard]] std::uint64_t turn_per_sample(double frequency_hz, double rate_hz);

/// Returns exp(-2 pi i t turn/2^64), the phase reduced in integers.
[[nodiscard]] std::complex<double> mixer(std::uint64_t turn, std::int64_t t);

/// A decimating low-pass filter, for frequencies in units of the output rate fs/S: frequencies
/// below `pass_edge` are kept, those above `1 - pass_edge` removed.
struct decimating_filter {
  std::size_t taps = 0;
  std::size_t subsampling = 1;
  double pass_edge = 0.25;  ///< Above 0 and below 0.5.
};

/// Returns the taps, which are symmetric.
[[nodiscard]] std::vector<double> filter_taps(const decimating_filter& filter);

/// Returns the attenuation of the stop band that the taps are designed for, in dB.
[[nodiscard]] double designed_attenuation_db(const decimating_filter& filter);

struct filter_response {
  double ripple_db = 0;  ///< The largest deviation in the pass band from the gain at 0 Hz.
  double alias_db = 0;   ///< The largest gain of a frequency that falls into the pass band.
};

/// Returns the gain of the pass band, and of frequencies folded into it, relative to 0 Hz.
[[nodiscard]] filter_response response_of(const decimating_filter& filter);

/// Returns the widest pass band, in units of the output rate, whose taps are designed for this
/// attenuation; 0 if there are too few taps.
[[nodiscard]] double widest_pass_band(const decimating_filter& filter, double attenuation_db);

/// Returns the outputs y whose taps lie within `samples`. The first of these is input sample
/// `first_sample`, at which the first output starts.
[[nodiscard]] std::vector<std::complex<double>> downconverted(std::span<const std::int16_t> samples,
                                                              std::int64_t first_sample,
                                                              std::span<const double> taps,
                                                              std::size_t subsampling,
                                                              std::uint64_t turn);

}  // namespace wingbeat::channelising
