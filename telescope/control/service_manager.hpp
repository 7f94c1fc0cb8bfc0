// SPDX-License-Identifier: Apache-2.0
// Reports the state of a service to a service manager, such as systemd, by its protocol sd_notify:
// a datagram to the socket in the environment variable NOTIFY_SOCKET.
#pragma once

#include <sys/socket.h>  // socklen_t
#include <sys/un.h>      // sockaddr_un

#include <string>
#include <string_view>

#include "system/file_descriptor.hpp"

namespace wingbeat::control {

class service_manager {
 public:
  /// Reads the environment. Without NOTIFY_SOCKET nothing is reported.
  service_manager();

  /// Sends assignments, one per line: READY=1, STATUS=.., WATCHDOG=1, STOPPING=1. Returns false if
  /// that fails. Does not wait; any thread may call it.
  bool notify(std::string_view assignments) const;

  /// Returns why `notify` fails, in one sentence.
  [[nodiscard]] std::string failure() const;

 private:
  file_descriptor socket_;  ///< None without a manager.
  sockaddr_un address_ = {};
  socklen_t address_bytes_ = 0;
};

}  // namespace wingbeat::control
