// SPDX-License-Identifier: Apache-2.0
// Sets options of sockets, and throws errors that name the endpoint.
#pragma once

#include <sys/socket.h>  // setsockopt

#include <cerrno>
#include <string>
#include <system_error>  // generic_category

#include "net/endpoint.hpp"  // to_string
#include "net/socket_buffers.hpp"
#include "text/formatted.hpp"
#include "wingbeat/error.hpp"  // file_error

namespace wingbeat::net {

/// Returns the operating system's text for the number of a fault.
[[nodiscard]] inline std::string fault_text(int number) {
  return std::generic_category().message(number);
}

/// Throws `file_error` with the operating system's text for `errno`.
[[noreturn]] inline void refuse_socket(const endpoint& place, const char* action) {
  const int fault = errno;
  throw file_error(formatted("{}: cannot {}: {}", to_string(place), action, fault_text(fault)));
}

template <class Value>
[[nodiscard]] bool set_option(int socket, int level, int name, const Value& value) {
  return ::setsockopt(socket, level, name, &value, sizeof value) == 0;
}

/// Sets the size of a buffer, beyond the system's limit if the process may (CAP_NET_ADMIN), and
/// returns what was granted.
[[nodiscard]] inline socket_buffers set_buffer(int socket, int name, int forced,
                                               std::size_t n_bytes) {
  const int wanted = n_bytes > 0x3fffffff ? 0x3fffffff : static_cast<int>(n_bytes);
  if (!set_option(socket, SOL_SOCKET, forced, wanted)) {
    (void)set_option(socket, SOL_SOCKET, name, wanted);
  }
  int granted = 0;
  socklen_t length = sizeof granted;
  (void)::getsockopt(socket, SOL_SOCKET, name, &granted, &length);
  // The system doubles the size, for its own records.
  return {n_bytes, static_cast<std::size_t>(granted) / 2, 1};
}

}  // namespace wingbeat::net
