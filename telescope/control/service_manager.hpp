// SPDX-License-Identifier: Apache-2.0
// Tells a service manager, such as systemd, how a service is: its protocol sd_notify, a datagram to
// the socket that the variable NOTIFY_SOCKET of the environment names.
#pragma once

#include <sys/socket.h>  // socklen_t
#include <sys/un.h>      // sockaddr_un

#include <string>
#include <string_view>

#include "system/file_descriptor.hpp"

namespace wingbeat::control {

class service_manager {
 public:
  /// Reads the environment. Without NOTIFY_SOCKET nobody is told anything.
  service_manager();

  /// Sends assignments, a line each: READY=1, STATUS=.., WATCHDOG=1, STOPPING=1. Returns false
  /// where that fails. Does not wait; any thread may call it.
  bool notify(std::string_view assignments) const;

  /// Says why `notify` fails, in one sentence.
  [[nodiscard]] std::string failure() const;

 private:
  file_descriptor socket_;  ///< None without a manager.
  sockaddr_un address_ = {};
  socklen_t address_bytes_ = 0;
};

}  // namespace wingbeat::control
