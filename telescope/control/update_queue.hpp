// SPDX-License-Identifier: Apache-2.0
// Passes updates of sensors and lines of the log from other threads to the server's thread.
#pragma once

#include <cstddef>  // size_t
#include <deque>
#include <mutex>
#include <unordered_map>

#include "control/sensor.hpp"
#include "system/file_descriptor.hpp"

namespace wingbeat::control {

/// Wakes a polling thread. Any thread and signal handler may call it.
class wake_event {
 public:
  wake_event();
  void set() const noexcept;
  void clear() const noexcept;
  [[nodiscard]] int descriptor() const noexcept { return event_.get(); }

 private:
  file_descriptor event_;
};

/// Readings on their way to clients. Holds at most 64 per sensor; if a sensor is updated faster
/// than they are taken, the newest replaces the one before it, so that the last is never lost.
class update_queue {
 public:
  static constexpr std::size_t max_per_sensor = 64;
  using updates = std::unordered_map<const sensor*, std::deque<reading>>;

  explicit update_queue(const wake_event& wake) : wake_(wake) {}

  void push(const sensor& sensor, const reading& reading);

  /// Returns everything pushed since the last call, oldest first.
  [[nodiscard]] updates take();

 private:
  const wake_event& wake_;
  std::mutex mutex_;
  updates updates_;
};

}  // namespace wingbeat::control
