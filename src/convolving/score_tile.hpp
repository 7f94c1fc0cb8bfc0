// SPDX-License-Identifier: Apache-2.0
// Scores one tile of an image: makes the products by transforms, sums the squares of windows, and
// checks whether the rounding of the products is small compared to them.
//     sqdiff  sum (t - v)^2 = sum v^2 - 2 sum t v + sum t^2
//     ccorr   sum t v
//     ccoeff  the same, and the window's squares  sum v^2 - (sum v)^2 / n
// v and t are pixels and template, times powers of two that make them smaller than 1, minus a
// shift: their means for ccoeff; the image's mean, which leaves differences unchanged, for sqdiff.
#pragma once

#include <cstddef>      // byte, size_t
#include <type_traits>  // conditional_t, is_same_v
#include <vector>

#include "backend/score_rows.hpp"        // score_division
#include "convolving/tile_products.hpp"  // tile_products
#include "convolving/window_sums.hpp"    // window_sums
#include "wingbeat/buffer.hpp"           // buffer_view
#include "wingbeat/queue.hpp"            // queue
#include "wingbeat/template_scores.hpp"  // scores_spec

namespace wingbeat::convolving {

template <class Pixel>
using score_of = std::conditional_t<std::is_same_v<Pixel, double>, double, float>;

/// An image [y][x][channel] as scores read it, and where they are written.
template <class Pixel>
struct scored_image {
  const Pixel* pixels = nullptr;
  score_of<Pixel>* scores = nullptr;
  double scale = 1;            ///< A power of two.
  std::vector<double> shifts;  ///< Per channel, in scaled pixels.
  double energy = 0;           ///< The sum of (scale pixel - shift)^2.
  double factor = 1;           ///< Factor of scores that are not normalised.
};

/// A template, ready for tiles in one precision.
struct scored_template {
  double squares = 0;              ///< Sum of t^2.
  double power = 1;                ///< Divisor of normalised scores.
  std::vector<std::byte> spectra;  ///< [channel]
  std::vector<double> values;      ///< t in fp64.  [y][x][channel]
};

/// The place of a tile among the scores, and its size.
struct tile_place {
  std::size_t y = 0, x = 0, height = 0, width = 0;
};

/// The memory of one thread for a tile in one precision.
class tile_memory {
 public:
  tile_memory(const queue& on, const tile_products& products, const scores_spec& spec);

  [[nodiscard]] buffer_view workspace() { return {workspace_.data(), 0, workspace_.size()}; }

 private:
  template <class Real>
  friend class score_tile;

  queue on_;
  window_sums windows_;
  std::vector<std::byte> workspace_;
  std::vector<double> tiles_;     ///< v, as Real  [channel][y][x]
  std::vector<double> products_;  ///< As Real  [2][y][x]
  std::vector<double> row_;       ///< [2][x]
};

/// The windows that are summed: squares of v, squares of unshifted pixels, v.
struct summed_arrays {
  explicit summed_arrays(const scores_spec& spec);

  [[nodiscard]] std::size_t count() const { return first_sum + n_sums; }

  bool has_squares, has_raw;
  std::size_t first_sum, n_sums;  ///< Sums of v, one per channel.
};

/// A tile in Real, float or double.
template <class Real>
class score_tile {
 public:
  score_tile(const scores_spec& spec, const tile_products& products, const scored_template& taps,
             tile_memory& memory)
      : spec_(spec), products_(products), taps_(taps), memory_(memory) {}

  /// Writes the scores of a tile. Returns whether they are as accurate as template_scores promises.
  template <class Pixel>
  bool run(const scored_image<Pixel>& image, const tile_place& place);

 private:
  [[nodiscard]] Real* values(std::size_t channel) const;
  [[nodiscard]] Real* products(std::size_t i) const;
  template <class Pixel>
  void load(const scored_image<Pixel>& image, const tile_place& place) const;
  void multiply() const;
  /// Returns a bound of the error of products; for direct sums relative to sqrt(sum t^2 sum v^2) of
  /// their own window; infinity if fp32 does not hold them.
  [[nodiscard]] double product_error() const;
  /// Adds row y to the windows. Returns whether they are whole.
  template <class Pixel>
  bool take_windows(const Pixel* pixels, double scale, std::size_t y, std::size_t width) const;
  /// Makes the numerators of row y, and returns the denominators if scores are normalised.
  const double* make_row(std::size_t y, std::size_t width) const;
  template <class Pixel>
  [[nodiscard]] backend::score_division division(const scored_image<Pixel>& image,
                                                 double error) const;
  template <class Pixel>
  [[nodiscard]] double exact(const scored_image<Pixel>& image, std::size_t y, std::size_t x) const;
  template <class Score>
  [[nodiscard]] std::size_t finish(const backend::score_division& rule, const double* denominators,
                                   Score* scores, std::size_t width) const;
  template <class Pixel>
  void sum_again(const scored_image<Pixel>& image, const tile_place& row,
                 const backend::score_division& rule, const double* denominators) const;

  const scores_spec& spec_;
  const summed_arrays arrays_{spec_};
  const tile_products& products_;
  const scored_template& taps_;
  tile_memory& memory_;
};

}  // namespace wingbeat::convolving
