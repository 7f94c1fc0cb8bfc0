// SPDX-License-Identifier: Apache-2.0
// Where an image, a kernel and their result lie on a padded axis.
//
// A circular convolution of length P of image f and kernel t, both from index 0, has c[m], the sum
// of t[j] f[m - j], at index m mod P, 0 <= m < H + h - 1. Indices a <= m < b are wanted; the others
// must not fall on them, so P >= H + h - 1 - a and P >= b. A circular correlation has lag
// m - (h - 1) at that index. With the image moved up to index h - 1 - a, the wanted lags lie at
// indices 0 to b - a - 1, and the lowest of the other lags lies at P - a.
#pragma once

#include <cstddef>  // size_t
#include <vector>

#include "wingbeat/convolution.hpp"  // convolution_spec
#include "wingbeat/devices.hpp"      // device_info

namespace wingbeat::convolving {

/// One axis.
struct axis_geometry {
  std::size_t image = 1;     ///< H
  std::size_t kernel = 1;    ///< h
  std::size_t padded = 2;    ///< P
  std::size_t image_at = 0;  ///< Index of the image's first element; the kernel's is 0.
  index_range wanted;        ///< Indices of the circular result; in blocks, of the full result.
  std::size_t hop = 0;       ///< Values that one block makes; 0: the axis is not cut.

  [[nodiscard]] std::size_t result() const { return wanted.end - wanted.first; }
};

/// Returns the indices a <= m < b of the full result that belong to a mode.
[[nodiscard]] index_range wanted_of_full(std::size_t image, std::size_t kernel, extent mode);

/// Returns the geometry of every axis of a valid spec. The padded length, or the blocks that an
/// image is cut into, depend on the device; results do not.
[[nodiscard]] std::vector<axis_geometry> geometry_of(const convolution_spec& spec,
                                                     const device_info& device);

/// Returns the geometry on an NVIDIA GPU.
[[nodiscard]] std::vector<axis_geometry> geometry_of(const convolution_spec& spec);

}  // namespace wingbeat::convolving
