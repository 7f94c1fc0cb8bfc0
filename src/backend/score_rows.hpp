// SPDX-License-Identifier: Apache-2.0
// Loops over the numbers of a row, in this process, that compute scores of templates.
#pragma once

#include <cstddef>  // size_t
#include <cstdint>  // uint8_t

namespace wingbeat::backend {

/// How numerators and denominators D, the squares of windows, become scores.
struct score_division {
  double factor = 1;    ///< A score is its numerator times this, over sqrt(D).
  double rounding = 0;  ///< D counts as 0 if it is at most this part of the window's squares,
  double least = 0;     ///< or at most this; the score is then `of_flat`.
  double of_flat = 0;
  double smallest = -1;      ///< Smallest score; the largest is 1.
  double resolved = 0;       ///< Others are counted as unresolved if D is below this
  double resolved_part = 0;  ///< or below this part of the window's squares, or the numerator
  double numerator = 0;      ///< is below this.
};

/// Statistics of numbers.
struct score_statistics {
  double sum = 0, squares = 0, fourth_powers = 0;
  double largest = 0;  ///< Magnitude.
  double zero = 0;     ///< NaN if a number is NaN or infinite.
};

/// Loops over `count` pixels.
template <class Pixel>
struct pixel_rows {
  score_statistics (*measure)(const Pixel* pixels, std::size_t count);
  /// row = scale pixels - shift
  void (*load)(const Pixel* pixels, float scale, float shift, float* row, std::size_t count);
};

/// Loops over `count` numbers.
template <class Real>
struct real_rows {
  /// Writes the values as double, and their squares.
  void (*square)(const Real* values, double* same, double* squares, std::size_t count);

  /// numerators = factor products + offset
  void (*begin)(const Real* products, double factor, double offset, double* numerators,
                std::size_t count);

  /// Return how many numbers are too small to be resolved. `store` writes max(numerator,
  /// `smallest`) times the factor.
  std::size_t (*store)(const score_division& division, const double* numerators, Real* scores,
                       std::size_t count);
  std::size_t (*divide)(const score_division& division, const double* numerators,
                        const double* denominators, const double* squares, Real* scores,
                        std::size_t count);
};

struct score_rows : pixel_rows<float>,
                    pixel_rows<std::uint8_t>,
                    real_rows<float>,
                    real_rows<double> {
  /// `terms` may be later entries of `sums`.
  void (*add)(double* sums, const double* terms, std::size_t count);
  void (*subtract_squares)(double* sums, const double* terms, double factor, std::size_t count);
};

/// Returns the loops of the instruction set that the host engine uses.
[[nodiscard]] const score_rows& host_score_rows();

}  // namespace wingbeat::backend
