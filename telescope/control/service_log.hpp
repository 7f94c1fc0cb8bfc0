// SPDX-License-Identifier: Apache-2.0
// The log of a service: timed lines to standard error, and to the clients of its server.
#pragma once

#include <memory>  // shared_ptr
#include <mutex>
#include <string>
#include <string_view>

#include "control/log_level.hpp"  // log_level

namespace spdlog {
class logger;
}

namespace wingbeat::control {

class katcp_server;

/// Any thread may write.
class service_log {
 public:
  /// `name` is part of each line. Lines below `level` are left out.
  service_log(std::string name, log_level level);
  service_log(const service_log&) = delete;
  service_log& operator=(const service_log&) = delete;
  ~service_log();

  void write(log_level level, std::string_view text);

  void set_level(log_level level);

  /// Also sends lines to the clients of this server, which leaves out those below its own level;
  /// null: stops doing so.
  void forward_to(katcp_server* server);

 private:
  std::string name_;
  std::shared_ptr<spdlog::logger> lines_;
  std::mutex mutex_;
  katcp_server* server_ = nullptr;
};

}  // namespace wingbeat::control
