// SPDX-License-Identifier: Apache-2.0
// An image convolution as a convolution of planes, which functors read from interleaved pixels:
// colours are images of a batch, and borders enlarge the image, in mode valid.
#pragma once

#include <cstddef>  // size_t
#include <span>
#include <vector>

#include "wingbeat/image_convolution.hpp"  // image_convolution_spec

namespace wingbeat::convolving {

/// Throws `plan_error` if a spec cannot be planned.
void require_valid(const image_convolution_spec& spec);

/// Returns the channels of an image that are convolved: all but alpha.
[[nodiscard]] std::size_t colours_of(const image_convolution_spec& spec) noexcept;

/// Returns {height, width} of the result.
[[nodiscard]] std::vector<std::size_t> result_of(const image_convolution_spec& spec);

/// Returns the convolution of planes for a valid spec.
[[nodiscard]] convolution_spec planes_of(const image_convolution_spec& spec);

/// Divides a kernel, [y][x][channel], as the spec requires. Throws `plan_error` if a divisor is 0
/// or not finite.
template <class Real>
void normalise(std::span<Real> kernel, const image_convolution_spec& spec);

}  // namespace wingbeat::convolving
