// SPDX-License-Identifier: Apache-2.0
#include "control/monitor_feed.hpp"

#include <exception>

#include "control/monitor_server.hpp"  // monitor_json

namespace wingbeat::control {
namespace {

constexpr std::chrono::milliseconds max_age{100}, interval{500};
constexpr std::uint64_t max_latest_rows =
    64;  // with more new rows, all rows come in a text that clients share

}  // namespace

monitor_feed::monitor_feed(const engine_monitor& engine, const sensor_registry& sensors)
    : engine_(engine), sensors_(sensors), thread_([this] { look_regularly(); }) {}

monitor_feed::~monitor_feed() {
  {
    const std::lock_guard lock{mutex_};
    is_ending_ = true;
  }
  ends_.notify_all();
  thread_.join();
}

void monitor_feed::look_regularly() {
  std::unique_lock lock{mutex_};
  while (!ends_.wait_for(lock, interval, [&] { return is_ending_; })) {
    try {
      refresh();
    } catch (const std::exception&) {
      // The caller is told; the next attempt may succeed.
    }
  }
}

void monitor_feed::refresh() {
  if (document_ && clock::now() - refreshed_ < max_age) return;
  const monitor_snapshot snapshot = engine_.snapshot();
  document_ = std::make_shared<const std::string>(monitor_json(snapshot, sensors_));
  history_.add(snapshot.spectra, now_s());
  refreshed_ = clock::now();
}

monitor_feed::text monitor_feed::document() {
  const std::lock_guard lock{mutex_};
  refresh();
  return document_;
}

monitor_feed::text monitor_feed::waterfall(std::uint64_t after) {
  const std::lock_guard lock{mutex_};
  refresh();
  const std::uint64_t last = history_.last();
  if (after != 0 && after <= last && last - after <= max_latest_rows) {
    return std::make_shared<const std::string>(history_.json(after, now_s()));
  }
  if (!whole_ || clock::now() - whole_made_ >= max_age) {
    whole_ = std::make_shared<const std::string>(history_.json(0, now_s()));
    whole_made_ = clock::now();
  }
  return whole_;
}

}  // namespace wingbeat::control
