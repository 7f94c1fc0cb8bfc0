// SPDX-License-Identifier: Apache-2.0
// The F-engine as a service: the engine with its sensors and metrics, a katcp server that controls
// it, and a page and metrics over HTTP.
#pragma once

#include <atomic>
#include <cstdint>  // uint16_t
#include <memory>   // unique_ptr
#include <optional>
#include <string>

#include "control/engine_sensors.hpp"
#include "control/katcp_server.hpp"
#include "control/metrics.hpp"
#include "control/monitor_server.hpp"
#include "control/sensor.hpp"
#include "control/service_log.hpp"
#include "control/service_manager.hpp"
#include "fengine/engine.hpp"
#include "fengine/engine_spec.hpp"

namespace wingbeat::fengine {

struct service_spec {
  engine_spec engine = {};  ///< Must be `checked`.
  std::optional<control::katcp_options> katcp = {};
  std::optional<control::monitor_options> monitor = {};
  std::string state_file = {};  ///< Keeps gains and delays; empty: they are not kept.
};

class service {
 public:
  /// Opens all sockets and compiles all kernels, and sets the gains and delays of the state file.
  /// Throws `plan_error`, `file_error` and `device_error`, in one sentence. The log outlives the
  /// service.
  service(const service_spec& spec, control::service_log& log);
  service(const service&) = delete;
  service& operator=(const service&) = delete;

  /// Stops.
  ~service();

  void start();

  /// Returns whether to stop the service: ?halt was received, a file ended, or a thread failed.
  [[nodiscard]] bool is_finished() const { return is_halted_ || engine_.is_finished(); }

  /// Sends what was received, then stop heaps, and closes. May be called again.
  void stop();

  [[nodiscard]] fengine::engine& engine() { return engine_; }
  [[nodiscard]] const control::sensor_registry& sensors() const { return registry_; }
  [[nodiscard]] const control::metric_registry& metrics() const { return metric_registry_; }
  /// Return the serving ports; 0 if there is none.
  [[nodiscard]] std::uint16_t katcp_port() const { return katcp_ ? katcp_->port() : 0; }
  [[nodiscard]] std::uint16_t monitor_port() const { return monitor_ ? monitor_->port() : 0; }

 private:
  void restore();
  void keep_state();

  control::service_log& log_;
  std::string state_file_;
  control::service_manager manager_;
  bool is_stopping_ = false;
  control::sensor_registry registry_;
  control::metric_registry metric_registry_;
  control::engine_sensors sensors_;
  fengine::engine engine_;
  std::atomic<bool> is_halted_ = false;
  std::unique_ptr<control::katcp_server> katcp_;
  std::unique_ptr<control::monitor_server> monitor_;
};

}  // namespace wingbeat::fengine
