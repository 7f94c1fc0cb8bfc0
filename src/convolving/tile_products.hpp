// SPDX-License-Identifier: Apache-2.0
// Sums products of a template with each part of a tile: by transforms or, if these would take
// longer, directly.
#pragma once

#include <array>
#include <cstddef>  // byte, size_t
#include <optional>
#include <vector>

#include "wingbeat/buffer.hpp"           // buffer_view
#include "wingbeat/convolution.hpp"      // convolution
#include "wingbeat/direct_sums.hpp"      // summed_axis
#include "wingbeat/queue.hpp"            // queue
#include "wingbeat/template_scores.hpp"  // scores_spec

namespace wingbeat::convolving {

/// The shape of tiles. Zeros follow the image if it is not a whole number of tiles.
struct tile_shape {
  explicit tile_shape(const scores_spec& spec);

  /// Returns c[n] = sum_j t[j] f[n + j] as axes for sum_directly, with taps from the last on.
  [[nodiscard]] std::array<summed_axis, 2> axes() const;
  [[nodiscard]] std::size_t points() const { return image[0] * image[1]; }
  [[nodiscard]] std::size_t results() const { return result[0] * result[1]; }

  std::vector<std::size_t> image, kernel, result;  ///< {height, width}
  bool is_summed;                                  ///< Direct sums are used.
};

/// The products of one channel of tiles, in one precision.
class tile_products {
 public:
  tile_products(const queue& on, const tile_shape& shape, precision real);

  [[nodiscard]] const tile_shape& shape() const { return shape_; }
  [[nodiscard]] std::size_t image_bytes() const { return shape_.points() * real_bytes_; }
  [[nodiscard]] std::size_t output_bytes() const { return shape_.results() * real_bytes_; }
  [[nodiscard]] std::size_t kernel_bytes() const {
    return shape_.kernel[0] * shape_.kernel[1] * real_bytes_;
  }
  [[nodiscard]] std::size_t prepared_bytes() const {
    return transforms_ ? transforms_->spectra_bytes() : kernel_bytes();
  }
  [[nodiscard]] std::size_t workspace_bytes() const {
    return transforms_ ? transforms_->workspace_bytes() : 0;
  }

  /// Prepares a template's taps, which are packed.
  void prepare(queue& on, buffer_view taps, buffer_view prepared, buffer_view workspace) const;
  /// Writes results  [y][x]
  void run(queue& on, buffer_view prepared, buffer_view image, buffer_view out,
           buffer_view workspace) const;

 private:
  tile_shape shape_;
  std::size_t real_bytes_;
  std::optional<convolution> transforms_;
};

}  // namespace wingbeat::convolving
