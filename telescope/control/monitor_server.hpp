// SPDX-License-Identifier: Apache-2.0
// Monitoring over HTTP:  /metrics for Prometheus, / a page, /monitor.json the page's values.
#pragma once

#include <cstdint>  // uint16_t
#include <memory>
#include <string>
#include <string_view>

#include "control/access_list.hpp"
#include "control/metrics.hpp"
#include "control/monitor.hpp"
#include "control/sensor.hpp"

namespace wingbeat::control {

struct monitor_options {
  std::string host = "127.0.0.1";  ///< Empty listens on all addresses.
  std::uint16_t port = 0;          ///< 0 lets the system choose.
  access_options access = {};
};

/// Serves from construction to destruction, in threads of its own. Its arguments outlive it.
class monitor_server {
 public:
  /// Throws std::runtime_error, naming host and port, if it cannot listen.
  monitor_server(const monitor_options& options, const metric_registry& metrics,
                 const sensor_registry& sensors, const engine_monitor& engine);
  ~monitor_server();
  monitor_server(const monitor_server&) = delete;
  monitor_server& operator=(const monitor_server&) = delete;

  [[nodiscard]] std::uint16_t port() const noexcept;

 private:
  struct impl;
  std::unique_ptr<impl> impl_;
};

/// Returns /monitor.json: `time`, the snapshot's fields, and `sensors`, those that are known but
/// not nominal. Numbers that are not finite become null.
[[nodiscard]] std::string monitor_json(const monitor_snapshot& snapshot,
                                       const sensor_registry& sensors);

/// Returns the page.
[[nodiscard]] std::string_view monitor_page();

}  // namespace wingbeat::control
