// SPDX-License-Identifier: Apache-2.0
// The devices that share a transform, each of them a rank.
#pragma once

#include <cstddef>  // size_t
#include <vector>

#include "wingbeat/devices.hpp"  // device_info
#include "wingbeat/queue.hpp"    // queue

namespace wingbeat {

/// Ranks are numbered from 0. Cheap to copy: copies have the same queues.
class domain {
 public:
  /// Most ranks of a domain.
  static constexpr std::size_t max_ranks = 16;

  /// Opens a queue on each of these devices, in this process; a device that is named several times
  /// is several ranks. Throws `plan_error` for no device, too many, or devices that cannot reach
  /// each other's memory: all are of cuda, with peer access, or one device of opencl, or of host
  /// and reference.
  static domain of_devices(const std::vector<device_info>& devices);

  /// The same with queues of yours, one for each rank.
  static domain of_queues(std::vector<queue> queues);

  [[nodiscard]] std::size_t size() const noexcept { return queues_.size(); }

  /// Returns the queue of a rank, in whose order its work is done.
  [[nodiscard]] queue& at(std::size_t rank) { return queues_.at(rank); }
  [[nodiscard]] const queue& at(std::size_t rank) const { return queues_.at(rank); }

  /// Returns when everything queued so far has finished on all ranks.
  void wait() const;

 private:
  explicit domain(std::vector<queue> queues) : queues_(std::move(queues)) {}
  std::vector<queue> queues_;
};

}  // namespace wingbeat
