// SPDX-License-Identifier: Apache-2.0
// A simulated digitiser controlled by katcp: ?signals, and sensors.
#pragma once

#include <cstddef>  // size_t
#include <cstdint>  // uint16_t
#include <functional>
#include <memory>  // unique_ptr
#include <string>
#include <vector>

#include "control/access_list.hpp"     // access_options
#include "transmit/sample_sender.hpp"  // sample_sender

namespace wingbeat::simulation {

struct signal_service_spec {
  std::string host = "127.0.0.1";  ///< Empty listens on all addresses.
  std::uint16_t port = 7147;       ///< 0 lets the system choose.
  control::access_options access = {};
  std::string build = "unknown";  ///< The version of the program.
  std::vector<std::string> signals = {};
  transmit::period_spec period = {};
  double sync_time_s = 0;  ///< UNIX time of sample 0.
};

/// Serves from construction to destruction. `?signals` samples a period in a thread of its own;
/// other requests are answered meanwhile.
class signal_service {
 public:
  /// Maximum number of changes that wait for their period; further ones are refused.
  static constexpr std::size_t max_changes = 16;

  /// The sender outlives it. ?halt calls `halt` in the server's thread; each change calls `changed`
  /// with one sentence, in another thread. Throws `file_error` if it cannot listen.
  signal_service(const signal_service_spec& spec, transmit::sample_sender& sender,
                 std::function<void()> halt, std::function<void(const std::string&)> changed);
  signal_service(const signal_service&) = delete;
  signal_service& operator=(const signal_service&) = delete;
  ~signal_service();

  [[nodiscard]] std::uint16_t port() const;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace wingbeat::simulation
