// SPDX-License-Identifier: Apache-2.0
// How what ranks have for others comes to other processes that do not share memory: by NCCL from
// device to device, or by TCP through memory of the processes.
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

  /// Sends device memory of this process's rank to others and receives what they send, after what
  /// was queued before: collective. What is received is there for what is queued later. Of two
  /// ranks, the one receives in one message as many bytes as the other sends, or neither has any.
  virtual void exchange(const messages& sent, const messages& received) = 0;

  /// Returns what runs are expected to take.
  [[nodiscard]] virtual device_speed speed() const = 0;

  [[nodiscard]] virtual std::string_view name() const = 0;
};

/// The transport of a domain, which copies of it share.
class chosen_transport {
 public:
  explicit chosen_transport(bool may_use_nccl) : may_use_nccl_(may_use_nccl) {}

  /// Returns NCCL where all ranks have it, each on a device of its own, else TCP. Collective, and
  /// chosen by the first call. Throws `device_error`.
  transport& of(const domain& ranks);

  /// Returns whether ranks of several processes store in each other's memory instead. Collective,
  /// and found out by the first call.
  [[nodiscard]] bool shares_memory(const domain& ranks);

 private:
  bool may_use_nccl_;
  std::optional<bool> shares_memory_ = {};
  std::unique_ptr<transport> chosen_ = {};
};

}  // namespace wingbeat::distributing
