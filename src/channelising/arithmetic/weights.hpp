// SPDX-License-Identifier: Apache-2.0
// Weights of the polyphase filter bank. With L = step taps, for i = 0 .. L - 1:
//
//     w[i] = win[i] sinc(cutoff ((i + 1/2)/step - taps/2)),   sinc(x) = sin(pi x)/(pi x)
//
// then scaled so that the sum of w[i]^2 is 1: white noise keeps its rms.
#pragma once

#include <cstddef>  // size_t
#include <vector>

#include "wingbeat/channeliser.hpp"  // filter_window

namespace wingbeat::channelising {

/// The shape of the filter bank's prototype filter.
struct filter_shape {
  std::size_t step = 0;  ///< Length of the transform: 2 channels of real samples.
  std::size_t taps = 16;
  filter_window window = filter_window::hann;
  double cutoff = 1;  ///< Width of a channel at -6 dB, in channels; 0: only the window.
};

/// Returns the weights, in double precision. `step` is at least 2 and `taps` at least 1.
[[nodiscard]] std::vector<double> filter_weights(const filter_shape& shape);

/// Returns the rounded weights of a bank, for engines that read samples as numbers.
[[nodiscard]] std::vector<float> rounded_weights(const channeliser_spec& spec);

/// Returns the weights of rows of `length` numbers that a device reads as o + x 2^-bits, where o is
/// `packed_offset`: w 2^bits for each part of a sample, followed by a row of -o times the sum of
/// the weights at each position; all times 2^exponent.
[[nodiscard]] std::vector<float> window_weights(const channeliser_spec& spec, std::size_t length,
                                                int exponent = 0);

}  // namespace wingbeat::channelising
