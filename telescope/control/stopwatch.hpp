// SPDX-License-Identifier: Apache-2.0
// The time since an event, which any thread may read.
#pragma once

#include <atomic>
#include <chrono>

namespace wingbeat::control {

class stopwatch {
 public:
  using clock = std::chrono::steady_clock;

  void restart(clock::time_point time = clock::now()) noexcept {
    since_.store(time.time_since_epoch().count(), std::memory_order_relaxed);
  }

  /// Returns the seconds since the last restart, or since construction.
  [[nodiscard]] double elapsed_s(clock::time_point time = clock::now()) const noexcept {
    const clock::duration since{since_.load(std::memory_order_relaxed)};
    return std::chrono::duration<double>(time.time_since_epoch() - since).count();
  }

 private:
  std::atomic<clock::rep> since_{clock::now().time_since_epoch().count()};
};

}  // namespace wingbeat::control
