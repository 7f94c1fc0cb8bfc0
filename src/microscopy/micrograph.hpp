// SPDX-License-Identifier: Apache-2.0
// The image of a search over orientations: filtered, without its mean, and scaled so that white
// noise would have variance 1 / (height width).
#pragma once

#include <cstddef>  // size_t
#include <span>
#include <vector>

#include "microscopy/image_filters.hpp"  // filter_options, radial_filter
#include "wingbeat/queue.hpp"            // queue

namespace wingbeat::microscopy {

struct micrograph {
  std::vector<float> values;  ///< [y][x], as `orientation_search::begin` takes them.
  radial_filter filter = {};  ///< What templates are filtered by, too.
};

/// Returns an image [y][x] of any lengths, whose spectrum F without bin 0 is multiplied by the
/// filters and then by sqrt(n / sum |F|^2), summed over the whole plane, where n is the sum of the
/// bandpass over it. Transforms in fp32 on the queue's device, and waits. Throws `plan_error` for
/// values that are no finite numbers, for a constant image, for one without power in the band, and
/// as `filter_of` does; `device_error`.
[[nodiscard]] micrograph filtered_micrograph(queue& on, std::span<const float> image,
                                             std::size_t height, std::size_t width,
                                             const filter_options& options);

}  // namespace wingbeat::microscopy
