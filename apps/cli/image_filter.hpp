// SPDX-License-Identifier: Apache-2.0
// Convolutions of images of 1 to 4 channels with a kernel image: modes, precisions, borders.
#pragma once

#include <cstddef>  // size_t
#include <functional>
#include <string>

#include "formats/images/image.hpp"        // image_stack
#include "wingbeat/convolution.hpp"        // extent
#include "wingbeat/image_convolution.hpp"  // border, normalisation
#include "wingbeat/plan.hpp"               // precision
#include "wingbeat/queue.hpp"              // queue

namespace wingbeat::cli {

/// The images, the kernel, and how they are convolved.
struct image_filter_spec {
  std::size_t height = 0, width = 0;
  std::size_t channels = 1;  ///< 1 grey, 2 grey and alpha, 3 RGB, 4 RGBA. Alpha is not convolved.
  extent mode = extent::full;
  border outside = border::zero;
  precision real = precision::fp32;
  precision between = precision::fp32;  ///< Stored type between launches, for fp32 only.
};

/// Returns a stack of the results' height, width and placement.
[[nodiscard]] formats::image_stack result_shape(const image_filter_spec& spec,
                                                const formats::image_stack& kernel,
                                                const formats::image_stack& images);

/// Returns the result of one image, both [y][x][channel]: floats in fp32, doubles in fp64.
using image_filter = std::function<formats::image_samples(formats::image_samples image)>;

/// Plans a convolution for one size of images, with its kernel on the device: one image of 1
/// channel, or of 3 if images have 3 or 4.
[[nodiscard]] image_filter filter_of(const queue& on, const image_filter_spec& spec,
                                     const formats::image_stack& kernel);

/// Returns the kernel reversed along both axes; convolving with that correlates with the kernel.
[[nodiscard]] formats::image_stack reversed(const formats::image_stack& kernel);

/// Returns the kernel divided by its normalisation. Throws `plan_error` with `name` for a divisor
/// of 0.
[[nodiscard]] formats::image_stack normalised(const formats::image_stack& kernel,
                                              normalisation rule, const std::string& name);

}  // namespace wingbeat::cli
