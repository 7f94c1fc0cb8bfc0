// SPDX-License-Identifier: Apache-2.0
// Loops over the numbers of a row that scores of templates are made by, of this process.
#pragma once

#include <cstddef>  // size_t
#include <cstdint>  // uint8_t

namespace wingbeat::backend {

/// How numerators become scores, of a window's squares D as denominators.
struct score_division {
  double factor = 1;    ///< A score is its numerator times this, over sqrt(D).
  double rounding = 0;  ///< D is 0 where it is no more than this part of the window's squares,
  double least = 0;     ///< or than this; the score is then `of_flat`.
  double of_flat = 0;
  double smallest = -1;      ///< Of scores; the largest is 1.
  double resolved = 0;       ///< Other D below it are counted,
  double resolved_part = 0;  ///< and below this part of the window's squares, and numerators below
  double numerator = 0;      ///< this.
};

/// What is known of numbers.
struct score_statistics {
  double sum = 0, squares = 0, fourth_powers = 0;
  double largest = 0;  ///< Magnitude.
  double zero = 0;     ///< NaN where a number is NaN or infinite.
};

/// Of `count` pixels each.
template <class Pixel>
struct pixel_rows {
  score_statistics (*measure)(const Pixel* pixels, std::size_t count);
  /// row = scale pixels - shift
  void (*load)(const Pixel* pixels, float scale, float shift, float* row, std::size_t count);
};

/// Of `count` numbers each.
template <class Real>
struct real_rows {
  /// Returns (values, their squares).
  void (*square)(const Real* values, double* same, double* squares, std::size_t count);

  /// numerators = factor products + offset
  void (*begin)(const Real* products, double factor, double offset, double* numerators,
                std::size_t count);

  /// These return how many numbers are smaller than what is resolved. `store` writes the
  /// numerators, at least `smallest`, times the factor.
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
  /// Terms may be later sums.
  void (*add)(double* sums, const double* terms, std::size_t count);
  void (*subtract_squares)(double* sums, const double* terms, double factor, std::size_t count);
};

/// Returns those of the instruction set that the host engine takes.
[[nodiscard]] const score_rows& host_score_rows();

}  // namespace wingbeat::backend
