// SPDX-License-Identifier: Apache-2.0
#include "convolving/window_sums.hpp"

#include <algorithm>  // copy_n

#include "backend/score_rows.hpp"  // host_score_rows

namespace wingbeat::convolving {

window_sums::window_sums(std::size_t width, std::size_t window_height, std::size_t window_width,
                         std::size_t n_arrays)
    : add_(backend::host_score_rows().add),
      width_(width),
      window_height_(window_height),
      window_width_(window_width),
      n_arrays_(n_arrays),
      rows_(width * n_arrays),
      block_(window_height * n_arrays * n_across()),
      before_(n_arrays * n_across()),
      sums_(n_arrays * n_across()) {}

/// Replaces values by sums of 2, 4, .. neighbours.
void window_sums::sum_across(double* values, double* total) const {
  std::size_t begin = 0;
  for (std::size_t width = 1; width <= window_width_; width *= 2) {
    if ((window_width_ & width) != 0) {
      if (begin == 0) {
        std::copy_n(values, n_across(), total);
      } else {
        add_(total, values + begin, n_across());
      }
      begin += width;
    }
    if (2 * width > window_width_) return;
    add_(values, values + width, width_ - 2 * width + 1);
  }
}

/// Van Herk's method adds the sum of a block from a row to its end, and the sum of the next block
/// up to the latest row.
bool window_sums::push() {
  const std::size_t length = n_arrays_ * n_across();
  const std::size_t i = n_rows_++ % window_height_;
  double* const latest = block_.data() + i * length;
  for (std::size_t a = 0; a < n_arrays_; ++a) sum_across(row(a), latest + a * n_across());
  if (i + 1 == window_height_) {
    for (std::size_t r = i; r-- > 0;) {
      add_(block_.data() + r * length, block_.data() + (r + 1) * length, length);
    }
    std::copy_n(block_.data(), length, sums_.data());
    return true;
  }
  if (i == 0) {
    std::copy_n(latest, length, before_.data());
  } else {
    add_(before_.data(), latest, length);
  }
  if (n_rows_ < window_height_) return false;
  std::copy_n(latest + length, length, sums_.data());
  add_(sums_.data(), before_.data(), length);
  return true;
}

}  // namespace wingbeat::convolving
