// SPDX-License-Identifier: Apache-2.0
// Windows of spectral analysis: one period of a sum of cosines,
//   w[i] = sum over m of (-1)^m a[m] cos(2 pi m i/n),   0 <= i < n.
#pragma once

#include <cstddef>  // size_t
#include <string_view>
#include <vector>

namespace wingbeat::cli {

/// The coefficients a are those of scipy.signal.windows: one (rectangular), two (hann, hamming),
/// three (blackman), four (blackman_harris) or five (flat_top).
enum class window { rectangular, hann, hamming, blackman, blackman_harris, flat_top };

/// Returns "rectangular", "hann", "hamming", "blackman", "blackman-harris" or "flat-top".
[[nodiscard]] std::string_view name_of(window shape) noexcept;

/// Returns the periodic window of n samples (the symmetric one of n + 1 without its last).
[[nodiscard]] std::vector<double> samples_of(window shape, std::size_t n);

/// Returns the equivalent noise bandwidth in bins: n sum w^2 / (sum w)^2.
[[nodiscard]] double noise_bandwidth_bins(const std::vector<double>& weights);

}  // namespace wingbeat::cli
