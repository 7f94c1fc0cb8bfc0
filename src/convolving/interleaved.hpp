// SPDX-License-Identifier: Apache-2.0
// Functors that read and write interleaved pixels, [y][x][channel], in fp16, fp32 or fp64. A signal
// of the convolution is one colour.
#pragma once

#include <cstddef>  // size_t

#include "wingbeat/device/functors/border.hpp"  // continued_axis
#include "wingbeat/fusion.hpp"                  // fused_load, fused_store
#include "wingbeat/plan.hpp"                    // precision

namespace wingbeat::convolving {

using device::functors::continued_axis;

/// The size of an array of pixels and its stored type.
struct pixel_array {
  std::size_t height = 1, width = 1, channels = 1;
  precision stored = precision::fp32;

  [[nodiscard]] std::size_t bytes() const;
};

/// Returns the load of an image's colours, continued beyond the edges, except by zeros, which
/// convolutions add themselves.
[[nodiscard]] fused_load load_of_pixels(const pixel_array& image, const continued_axis& rows,
                                        const continued_axis& columns);

/// Returns the store of results. If there is alpha (the last of an even number of channels), the
/// store has one operand, the image, whose alpha at [rows][columns] goes into the result.
[[nodiscard]] fused_store store_of_pixels(const pixel_array& result, std::size_t image_width,
                                          const continued_axis& rows,
                                          const continued_axis& columns);

}  // namespace wingbeat::convolving
