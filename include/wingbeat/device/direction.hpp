// SPDX-License-Identifier: Apache-2.0
// The sign of the exponent.
#pragma once

#include "wingbeat/device/port.hpp"  // WINGBEAT_FN

namespace wingbeat::device {

/// forward: X[k] = sum_j x[j] exp(-2 pi i jk/N).  inverse: the same with +, and no 1/N.
enum class direction { forward, inverse };

/// Returns the direction that undoes `dir`.
WINGBEAT_FN constexpr direction opposite(direction dir) {
  return dir == direction::forward ? direction::inverse : direction::forward;
}

}  // namespace wingbeat::device
