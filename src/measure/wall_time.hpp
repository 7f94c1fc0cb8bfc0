// SPDX-License-Identifier: Apache-2.0
// How long something takes by the clock on the wall.
#pragma once

#include <chrono>  // steady_clock

namespace wingbeat::cli {

/// Calls `work` and returns the seconds it took.
template <class Work>
[[nodiscard]] double seconds_of(const Work& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace wingbeat::cli
