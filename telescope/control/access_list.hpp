// SPDX-License-Identifier: Apache-2.0
// Decides which clients a server serves; counts the others, and reports them at a bounded rate.
#pragma once

#include <chrono>
#include <cstdint>  // uint64_t
#include <functional>
#include <mutex>
#include <string>
#include <string_view>

#include "control/metrics.hpp"       // counter
#include "control/network_list.hpp"  // ip_address, network_list

namespace wingbeat::control {

struct access_options {
  network_list allowed = {};     ///< Empty: everyone is served.
  std::string option = "allow";  ///< The option that names these networks, for messages.
  counter* refusals = nullptr;   ///< If set, counts refusals; outlives the server.
  /// Takes warnings, of one sentence each, in any thread.
  std::function<void(const std::string&)> warn = {};
};

class access_list {
 public:
  /// Refusals are reported at most once in this time.
  static constexpr std::chrono::seconds report_interval{10};

  /// `server` is its name in messages.
  access_list(std::string server, access_options options);

  /// Warns if other machines reach a server and no list says which of them it serves. The socket
  /// must be listening.
  void check_reach(int socket) const;

  /// Returns whether this client is served; if not, counts and reports it. Any thread.
  [[nodiscard]] bool admits(const ip_address& client, std::string_view name);

 private:
  using clock = std::chrono::steady_clock;

  std::string server_;
  access_options options_;
  std::mutex mutex_;
  clock::time_point next_report_ = {};
  std::uint64_t n_unreported_ = 0;
};

}  // namespace wingbeat::control
