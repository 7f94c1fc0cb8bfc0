// SPDX-License-Identifier: Apache-2.0
// Samples of any size as the numbers of a picture.
#pragma once

#include <string>

#include "formats/images/image.hpp"  // value_range

namespace wingbeat::formats {

/// Returns whether a sample of the stack is alpha.
[[nodiscard]] bool is_alpha(const image_stack& images, std::size_t sample);

/// Returns the least and the largest finite sample but those of alpha, {0, 0} without any.
[[nodiscard]] value_range range_of(const image_stack& images);

/// Returns the number of a sample: 0 for black, below, NaN and in an empty range, `most` for white
/// and above, and between them linearly, rounded.
[[nodiscard]] unsigned scaled(double value, value_range range, unsigned most);

/// Throws `plan_error` naming `name` unless both ends are finite and black is below white.
void check_range(value_range range, const std::string& name);

}  // namespace wingbeat::formats
