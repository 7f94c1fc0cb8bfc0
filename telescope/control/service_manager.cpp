// SPDX-License-Identifier: Apache-2.0
#include "control/service_manager.hpp"

#include <algorithm>  // copy
#include <cerrno>
#include <cstddef>  // offsetof
#include <cstdlib>  // getenv
#include <cstring>  // strerror

#include "text/formatted.hpp"  // formatted

namespace wingbeat::control {

service_manager::service_manager() {
  const char* const named = std::getenv("NOTIFY_SOCKET");
  const std::string_view name = named == nullptr ? "" : named;
  if (name.empty()) return;
  address_bytes_ = sizeof address_;
  if (name.size() >= sizeof address_.sun_path) return;  // `notify` then fails, as without a socket
  address_.sun_family = AF_UNIX;
  std::copy(name.begin(), name.end(), address_.sun_path);
  if (name.front() == '@') address_.sun_path[0] = '\0';  // an abstract name, without a file
  address_bytes_ = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
  socket_ = file_descriptor{::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)};
}

bool service_manager::notify(std::string_view assignments) const {
  if (address_bytes_ == 0) return true;
  const auto n_sent =
      ::sendto(socket_.get(), assignments.data(), assignments.size(), MSG_DONTWAIT | MSG_NOSIGNAL,
               reinterpret_cast<const sockaddr*>(&address_), address_bytes_);
  return n_sent == static_cast<ssize_t>(assignments.size());
}

std::string service_manager::failure() const {
  return formatted("the service manager is not told: NOTIFY_SOCKET cannot be written: {}",
                   std::strerror(errno));
}

}  // namespace wingbeat::control
