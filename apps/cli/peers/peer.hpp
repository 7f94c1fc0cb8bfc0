// SPDX-License-Identifier: Apache-2.0
// The libraries that a bench compares wingbeat with.
#pragma once

#include <memory>  // unique_ptr
#include <string>
#include <vector>

#include "cli/peers/queue_runs.hpp"  // bench_buffers
#include "measure/library_run.hpp"   // library_run
#include "wingbeat/devices.hpp"      // device_info

namespace wingbeat::cli {

/// A library to compare with. It lives as long as the bench and plans one problem at a time.
class peer {
 public:
  peer(std::string name, std::string version)
      : name_(std::move(name)), version_(std::move(version)) {}
  virtual ~peer() = default;

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] const std::string& version() const noexcept { return version_; }

  /// Plans a problem. Throws `plan_error` if the peer refuses it, `device_error` if the peer fails.
  [[nodiscard]] virtual std::unique_ptr<measure::library_run> prepare(queue& on,
                                                                      const plan_spec& spec,
                                                                      bench_buffers& memory) = 0;

 private:
  std::string name_, version_;
};

using peer_list = std::vector<std::unique_ptr<peer>>;

/// Limits for peers in other processes.
struct peer_limits {
  double answer_s = 300;  ///< Longest wait for one answer; planning a problem is one answer.
};

/// Opens the peers of a list of names or of paths to programs that follow bench/peers/protocol.md:
/// "cufft,./mine". A peer that is not installed or does not run on this device is left out, with a
/// sentence on stderr. Throws `plan_error` for an unknown name.
[[nodiscard]] peer_list open_peers(const std::string& names, const device_info& device,
                                   const peer_limits& limits);

}  // namespace wingbeat::cli
