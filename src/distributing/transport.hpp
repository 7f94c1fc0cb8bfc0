// SPDX-License-Identifier: Apache-2.0
// Transports data to other processes that do not share memory: by NCCL from device to device, or by
// TCP through memory of the processes.
#pragma once

#include <memory>  // unique_ptr
#include <optional>
#include <string_view>
#include <vector>

#include "backend/nccl.hpp"       // message
#include "distributing/cost.hpp"  // device_speed
#include "wingbeat/domain.hpp"    // domain

namespace wingbeat::distributing {

using messages = std::vector<backend::message>;

class transport {
 public:
  virtual ~transport() = default;

  /// Sends device memory of this process's rank to others and receives theirs, after work that was
  /// queued before. Collective. Work queued later finds what was received. For each pair of ranks,
  /// one receives in one message as many bytes as the other sends, or neither has any.
  virtual void exchange(const messages& sent, const messages& received) = 0;

  /// Returns the speed that runs are expected to have.
  [[nodiscard]] virtual device_speed speed() const = 0;

  [[nodiscard]] virtual std::string_view name() const = 0;
};

/// The transport of a domain, shared by its copies.
class chosen_transport {
 public:
  explicit chosen_transport(bool may_use_nccl) : may_use_nccl_(may_use_nccl) {}

  /// Returns NCCL if all ranks have it, each on a device of its own, else TCP. Collective; the
  /// first call chooses. Throws `device_error`.
  transport& of(const domain& ranks);

  /// Returns whether ranks of several processes store in each other's memory instead. Collective;
  /// the first call finds out.
  [[nodiscard]] bool shares_memory(const domain& ranks);

 private:
  bool may_use_nccl_;
  std::optional<bool> shares_memory_ = {};
  std::unique_ptr<transport> chosen_ = {};
};

}  // namespace wingbeat::distributing
