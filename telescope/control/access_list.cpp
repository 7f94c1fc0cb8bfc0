// SPDX-License-Identifier: Apache-2.0
#include "control/access_list.hpp"

#include <sys/socket.h>  // getsockname

#include <utility>  // exchange, move

#include "text/counted.hpp"
#include "text/formatted.hpp"

namespace wingbeat::control {

access_list::access_list(std::string server, access_options options)
    : server_(std::move(server)), options_(std::move(options)) {}

void access_list::check_reach(int socket) const {
  if (!options_.allowed.is_empty() || !options_.warn) return;
  sockaddr_storage storage{};
  auto& address = reinterpret_cast<sockaddr&>(storage);
  socklen_t length = sizeof storage;
  if (::getsockname(socket, &address, &length) == 0 && is_loopback(ip_address_of(address))) return;
  options_.warn(
      formatted("{} serves every client that reaches this machine; {} limits it to "
                "addresses and networks",
                server_, options_.option));
}

bool access_list::admits(const ip_address& client, std::string_view name) {
  if (options_.allowed.is_empty() || options_.allowed.contains(client)) return true;
  if (options_.refusals != nullptr) options_.refusals->add();
  std::uint64_t n_refused = 0;
  {
    const std::lock_guard lock{mutex_};
    ++n_unreported_;
    const clock::time_point time = clock::now();
    if (time < next_report_) return false;
    next_report_ = time + report_interval;
    n_refused = std::exchange(n_unreported_, 0);
  }
  if (options_.warn) {
    options_.warn(formatted("{} refused {}, which {} does not name; {} since the last report",
                            server_, name, options_.option, counted(n_refused, "refusal")));
  }
  return false;
}

}  // namespace wingbeat::control
