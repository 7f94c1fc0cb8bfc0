// SPDX-License-Identifier: Apache-2.0
// The documents that the page fetches, made once for all browsers, and the history of spectra.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>  // uint64_t
#include <memory>   // shared_ptr
#include <mutex>
#include <string>
#include <thread>

#include "control/monitor.hpp"
#include "control/sensor.hpp"
#include "control/spectrum_history.hpp"

namespace wingbeat::control {

/// Reads the engine's state twice a second, and at most ten times, however many ask. Any thread.
class monitor_feed {
 public:
  using text = std::shared_ptr<const std::string>;

  /// Both arguments outlive it.
  monitor_feed(const engine_monitor& engine, const sensor_registry& sensors);
  ~monitor_feed();
  monitor_feed(const monitor_feed&) = delete;
  monitor_feed& operator=(const monitor_feed&) = delete;

  /// Returns /monitor.json, at most a tenth of a second old.
  [[nodiscard]] text document();

  /// Returns /waterfall.json: the rows after number `after`; all rows if these are many, or if
  /// `after` is a number of another service.
  [[nodiscard]] text waterfall(std::uint64_t after);

 private:
  using clock = std::chrono::steady_clock;

  void refresh();
  void look_regularly();
  [[nodiscard]] double now_s() const {
    return std::chrono::duration<double>(clock::now() - begun_).count();
  }

  const engine_monitor& engine_;
  const sensor_registry& sensors_;
  const clock::time_point begun_ = clock::now();
  std::mutex mutex_;
  std::condition_variable ends_;
  bool is_ending_ = false;
  clock::time_point refreshed_ = {}, whole_made_ = {};
  text document_, whole_;
  spectrum_history history_;
  std::thread thread_;
};

}  // namespace wingbeat::control
