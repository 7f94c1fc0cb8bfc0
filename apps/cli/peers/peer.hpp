// SPDX-License-Identifier: Apache-2.0
// The peers that a bench was asked to measure beside wingbeat, as far as they are here.
#pragma once

#include <memory>  // unique_ptr
#include <string>
#include <vector>

#include "cli/peers/queue_runs.hpp"  // contender, bench_buffers
#include "wingbeat/devices.hpp"      // device_info

namespace wingbeat::cli {

/// One library to compare with. It lives as long as the bench and plans one problem at a time.
class peer {
 public:
  peer(std::string name, std::string version)
      : name_(std::move(name)), version_(std::move(version)) {}
  virtual ~peer() = default;

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] const std::string& version() const noexcept { return version_; }

  /// Plans a problem. Throws `plan_error` where the peer refuses it, `device_error` where it fails.
  [[nodiscard]] virtual std::unique_ptr<contender> prepare(queue& on, const plan_spec& what,
                                                           bench_buffers& memory) = 0;

 private:
  std::string name_, version_;
};

using peer_list = std::vector<std::unique_ptr<peer>>;

/// How peers in other processes are treated.
struct peer_manners {
  double patience_s = 300;  ///< For one answer; making a plan is one.
};

/// Opens the peers of a list such as "cufft,vkfft", or of a path to a program that speaks
/// bench/peers/protocol.md. One that is not here or not for this device costs a sentence on stderr,
/// and is left out. Throws `plan_error` for a name that is none.
[[nodiscard]] peer_list open_peers(const std::string& names, const device_info& where,
                                   const peer_manners& manners);

}  // namespace wingbeat::cli
