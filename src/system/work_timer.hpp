// SPDX-License-Identifier: Apache-2.0
// Reports the time of long work.
#pragma once

#include <chrono>  // milliseconds
#include <condition_variable>
#include <cstddef>  // size_t
#include <functional>
#include <mutex>
#include <thread>

namespace wingbeat {

/// Calls `tell` with the seconds so far once work has taken `first` seconds, over all its pieces,
/// and then every `interval` seconds, in a thread of its own. Without work it has no thread.
class work_timer {
 public:
  static constexpr std::chrono::seconds usual_interval{10};

  work_timer(std::function<void(double seconds)> tell, std::chrono::milliseconds first,
             std::chrono::milliseconds interval = usual_interval);
  work_timer(const work_timer&) = delete;
  work_timer& operator=(const work_timer&) = delete;
  ~work_timer();

  /// Begin and end a piece of work. Several may run at once, in any threads; none waits for `tell`.
  void begin() noexcept;
  void end() noexcept;

 private:
  void watch();

  std::function<void(double)> tell_;
  std::chrono::milliseconds first_, interval_;
  std::mutex mutex_;  ///< Guards all below.
  std::condition_variable changed_;
  std::size_t n_running_ = 0;
  bool is_ending_ = false;
  std::thread watcher_;
};

}  // namespace wingbeat
