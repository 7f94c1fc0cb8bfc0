// SPDX-License-Identifier: Apache-2.0
#include "convolving/geometry.hpp"

#include <algorithm>  // max

#include "convolving/blocks.hpp"  // block_length, hop_of
#include "tuning/padding.hpp"     // padded_length

namespace wingbeat::convolving {
namespace {

/// Returns the geometry of an axis that is padded to at least `padded`.
axis_geometry convolved(std::size_t image, std::size_t kernel, index_range wanted) {
  const std::size_t unwrapped = image + kernel - 1 - wanted.first;
  return {image, kernel, std::max({wanted.end, unwrapped, image, kernel}), 0, wanted, 0};
}

axis_geometry correlated(std::size_t image, std::size_t kernel, index_range wanted) {
  const std::size_t moved = kernel - 1 - wanted.first;  // no mode begins beyond kernel - 1
  const index_range lags{0, wanted.end - wanted.first};
  const std::size_t unwrapped = lags.end + wanted.first;  // lower lags lie at the end of the axis
  return {image, kernel, std::max({moved + image, unwrapped, kernel}), moved, lags, 0};
}

}  // namespace

index_range wanted_of_full(std::size_t image, std::size_t kernel, extent mode) {
  switch (mode) {
    case extent::full: return {0, image + kernel - 1};
    case extent::same: return {(kernel - 1) / 2, (kernel - 1) / 2 + image};
    case extent::valid: return {kernel - 1, image};
  }
  return {};
}

std::vector<axis_geometry> geometry_of(const convolution_spec& spec, const device_info& device) {
  std::vector<axis_geometry> axes;
  for (std::size_t a = 0; a < spec.image.size(); ++a) {
    const std::size_t image = spec.image[a], kernel = spec.kernel[a];
    const index_range wanted = wanted_of_full(image, kernel, spec.mode);
    axes.push_back(spec.kind == operation::convolve ? convolved(image, kernel, wanted)
                                                    : correlated(image, kernel, wanted));
    axes[a].padded = tuning::padded_length(axes[a].padded, device);
  }
  if (const std::size_t block = block_length(spec, axes[0].padded, device); block != 0) {
    const std::size_t image = spec.image[0], kernel = spec.kernel[0];
    axes[0] = {image,
               kernel,
               block,
               0,
               wanted_of_full(image, kernel, spec.mode),
               hop_of(image, kernel, block)};
  }
  return axes;
}

std::vector<axis_geometry> geometry_of(const convolution_spec& spec) {
  device_info gpu;
  gpu.runs_on = engine::cuda;
  gpu.is_gpu = true;
  return geometry_of(spec, gpu);
}

}  // namespace wingbeat::convolving
