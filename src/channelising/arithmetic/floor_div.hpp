// SPDX-License-Identifier: Apache-2.0
// Division of times, which may be negative.
#pragma once

#include <cstdint>  // int64_t

namespace wingbeat::channelising {

/// Returns a/b rounded down; b is positive.
[[nodiscard]] constexpr std::int64_t floor_div(std::int64_t a, std::int64_t b) {
  return a / b - (a % b < 0 ? 1 : 0);
}

}  // namespace wingbeat::channelising
