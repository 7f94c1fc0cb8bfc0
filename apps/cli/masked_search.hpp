// SPDX-License-Identifier: Apache-2.0
// Scores of templates in an image of which some pixels are not there, as if sums were taken over
// the others alone. With v = 1 where a pixel is there and 0 elsewhere, f the image with 0 where
// v = 0, t a template, and (a * b)[y, x] = sum over j, i of b[j, i] a[y + j, x + i]:
//
//     plain:       f * t
//     normalised:  (f * t - (f * 1) (v * t) / n) /
//                  sqrt((f^2 * 1 - (f * 1)^2 / n) (v * t^2 - (v * t)^2 / n)),   n = v * 1
//
// which is the correlation coefficient of the pixels that are there with those of the template over
// them (D. Padfield, Masked object registration in the Fourier domain, 2012). Pixels outside the
// image are not there. All is computed in fp64.
#pragma once

#include <cstddef>  // size_t
#include <optional>
#include <span>
#include <vector>

#include "cli/convolver.hpp"         // convolver
#include "wingbeat/convolution.hpp"  // extent
#include "wingbeat/queue.hpp"        // queue

namespace wingbeat::cli {

/// What a masked search is of: an image and templates of {height, width}.
struct masked_search_spec {
  std::vector<std::size_t> image, templates;
  extent mode = extent::valid;
  bool is_normalised = false;
  /// Places where less than this part of the template's pixels are there have no score.
  double min_valid = 0.5;
};

class masked_search {
 public:
  /// image: [y][x], NaN where a pixel is not there. Throws as `convolution` does.
  masked_search(const queue& on, const masked_search_spec& spec, std::span<const double> image);

  /// Returns the lengths of a map.
  [[nodiscard]] const std::vector<std::size_t>& result() const { return image_->result(); }

  /// Returns the map of a template, [y][x]; NaN where there is no score.
  [[nodiscard]] std::vector<double> scores(std::span<const double> values);

 private:
  void sum_windows(const queue& on, const convolution_spec& plain, std::span<const double> image);

  masked_search_spec spec_;
  std::optional<convolver> image_, valid_;  ///< With f and v prepared.
  std::vector<double> n_valid_;             ///< n of each place; NaN: too few.
  std::vector<double> sums_, variances_;    ///< f * 1 and f^2 * 1 - (f * 1)^2 / n.
  double min_variance_ = 0;
};

}  // namespace wingbeat::cli
