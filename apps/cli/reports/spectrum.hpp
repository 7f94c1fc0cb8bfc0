// SPDX-License-Identifier: Apache-2.0
// A spectrum for people: frequencies of bins, the strongest bins, a chart.
#pragma once

#include <cstddef>  // size_t
#include <string>
#include <vector>

#include "formats/charts/chart.hpp"    // line_chart
#include "formats/signals/signal.hpp"  // signal

namespace wingbeat::cli {

/// A spectrum and the meaning of its bins.
struct spectrum {
  formats::signal bins;       // [row][bin]
  std::size_t length = 0;     ///< N of the transform; a half spectrum has fewer bins.
  bool is_of_real = false;    ///< Bins above N/2 mirror those below and are not shown.
  double sample_rate_hz = 0;  ///< 0: unknown.
  double centre_hz = 0;       ///< Of bin 0, where samples were mixed down.

  /// Returns the number of bins shown per row.
  [[nodiscard]] std::size_t n_shown() const { return is_of_real ? length / 2 + 1 : length; }

  /// Returns k, or k - N if bin k is a negative frequency.
  [[nodiscard]] double signed_bin(std::size_t k) const;

  /// Returns the frequency of bin k in Hz; the rate must be known.
  [[nodiscard]] double frequency_hz(std::size_t k) const;
};

/// Returns the bins in the order of their frequencies, negative ones first unless they are of a
/// real signal.
[[nodiscard]] std::vector<std::size_t> ascending_bins(std::size_t n_bins, bool is_real);

/// One of the strongest bins.
struct peak {
  std::size_t row, bin;
  double magnitude, phase_rad;
};

/// Returns the `n_peaks` strongest bins of every row, strongest first, the lower bin on a tie.
[[nodiscard]] std::vector<peak> strongest(const spectrum& shown, std::size_t n_peaks);

/// Rows that one chart shows; more would hide each other.
inline constexpr std::size_t max_rows_drawn = 8;

/// Returns the magnitude in dB against frequency, or against the bin if the rate is unknown.
[[nodiscard]] formats::line_chart chart_of(const spectrum& shown, const std::string& title);

}  // namespace wingbeat::cli
