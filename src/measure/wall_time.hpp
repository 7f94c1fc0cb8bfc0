// SPDX-License-Identifier: Apache-2.0
// Wall time of a call.
#pragma once

#include <chrono>  // steady_clock

namespace wingbeat::measure {

/// Calls `work` and returns the seconds it took.
template <class Work>
[[nodiscard]] double seconds_of(const Work& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace wingbeat::measure
