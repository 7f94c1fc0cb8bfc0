// SPDX-License-Identifier: Apache-2.0
// Frames of the rows of a signal. The load functor of a plan reads them in place and weights them
// by a window; its store functor writes their powers instead of spectra.
#pragma once

#include <cstddef>  // size_t
#include <vector>

#include "verify/elements.hpp"  // byte_reader
#include "wingbeat/plan.hpp"    // fused_load, fused_store

namespace wingbeat::cli {

/// Frame f of a row begins at its sample f `hop`. A sample is one real or two.
struct frame_layout {
  std::size_t n_rows = 1;
  std::size_t row_length = 0;  ///< Distance of rows, in samples.
  std::size_t length = 0;      ///< Samples of a frame.
  std::size_t hop = 0;
  std::size_t n_frames = 1;  ///< Frames of a row.
  bool is_real = true;

  [[nodiscard]] std::size_t n_transforms() const { return n_rows * n_frames; }
  [[nodiscard]] std::size_t n_bins() const { return is_real ? length / 2 + 1 : length; }
  [[nodiscard]] std::size_t width() const { return is_real ? 1 : 2; }

  /// Returns the samples of a row that lie in frames.
  [[nodiscard]] std::size_t covered_samples() const { return (n_frames - 1) * hop + length; }

  /// Returns the index of the first number of a frame; frames are numbered over all rows.
  [[nodiscard]] std::size_t first_number(std::size_t frame) const {
    return (frame / n_frames * row_length + frame % n_frames * hop) * width();
  }
};

/// The weights of samples: weights[i] (x[i] - mean of its frame).
struct frame_weights {
  std::vector<double> window;  // [sample of a frame]
  std::vector<double> means;   // [frame][number]
};

/// Returns the means of all frames, or zeros, rounded to the precision that engines use.
[[nodiscard]] std::vector<double> frame_means(const frame_layout& layout,
                                              const std::vector<double>& samples, precision real,
                                              bool are_removed);

/// Returns the functor that reads frames, for fp32 and fp64.
[[nodiscard]] fused_load load_of(const frame_layout& layout, const frame_weights& weights,
                                 precision real);

/// Returns the functor that writes scale |X|^2 as reals, [frame][bin]. Half spectra have twice that
/// in all bins but 0 and N/2, because the other half has these bins too.
[[nodiscard]] fused_store store_of(const frame_layout& layout, double scale, precision real);

/// Roundings of a weighted element: weight, difference and product. Roundings of a magnitude whose
/// power is stored: half of those of the scale, the squares, their sum and the product.
inline constexpr double weighting_roundings = 3, power_roundings = 2;

/// Returns the error of a magnitude |X| whose power, stored times `scale`, underflows.
[[nodiscard]] double floor_of_powers(double scale, precision real);

/// Returns weighted frames in fp64, one after another, for the definition. The arguments must
/// outlive it.
[[nodiscard]] verify::byte_reader reader_of(const frame_layout& layout,
                                            const frame_weights& weights,
                                            const std::vector<double>& samples);

}  // namespace wingbeat::cli
