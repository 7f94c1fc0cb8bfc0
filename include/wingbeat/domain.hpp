// SPDX-License-Identifier: Apache-2.0
// The devices that share a transform, each of them a rank, of one process or of several.
#pragma once

#include <cstddef>  // size_t
#include <memory>   // shared_ptr
#include <string>
#include <utility>  // move
#include <vector>

#include "wingbeat/devices.hpp"       // device_info
#include "wingbeat/process_rank.hpp"  // process_rank
#include "wingbeat/queue.hpp"         // queue

namespace wingbeat {

namespace processes {
class group;
}
namespace distributing {
class chosen_transport;
}

/// How processes work together.
struct process_manner {
  double patience_s = 30;  ///< That ranks wait for one another.
  /// Ranks store in each other's memory where all can: GPUs of one machine, by CUDA's IPC, with
  /// peer access; host and reference in threads of one process.
  bool may_share_memory = true;
  /// Else devices send to each other by NCCL (libnccl.so.2 of 2.14 or later, opened at run time)
  /// where all are GPUs of cuda, each of one rank, and all processes have it; else by TCP.
  bool may_use_nccl = true;
};

/// Ranks are numbered from 0. Cheap to copy: copies have the same queues.
class domain {
 public:
  /// Most ranks of a domain, and of those that store in each other's memory, as of one process.
  static constexpr std::size_t max_ranks = 512, max_sharing_ranks = 16;

  /// Opens a queue on each of these devices, in this process; a device that is named several times
  /// is several ranks. Throws `plan_error` for no device, too many, or devices that cannot reach
  /// each other's memory: all are of cuda, with peer access, or one device of opencl, or of host
  /// and reference.
  static domain of_devices(const std::vector<device_info>& devices);

  /// The same with queues of yours, one for each rank.
  static domain of_queues(std::vector<queue> queues);

  /// Has this process meet others by TCP, each of which has one rank, on any device of any engine,
  /// and calls this at about the same time. Whatever is made of the domain is made by all of them,
  /// in the same order, and ends so. A rank that never comes, does not answer in time or was lost
  /// is named on all others by a `device_error`, and then the domain is of no use any more. Throws
  /// `plan_error` for a rank, a size or an address that cannot be.
  ///
  ///     domain ranks = domain::at(process_rank_of_environment(), queue{});
  static domain at(const process_rank& place, const queue& own, const process_manner& how = {});

  /// The same of the ranks of an ncclComm_t, of the libnccl.so.2 that this process has open, which
  /// all call this. It has them meet, by two gathers of 256 bytes a rank on the queue, at `host` of
  /// rank 0; if that is empty at the name of its machine, or on loopback where all are on one. Data
  /// does not go over it, so that it stays yours. Throws `plan_error` for a queue of another engine
  /// than cuda, and `device_error` without NCCL or where ranks did not come in time.
  static domain from_nccl(void* communicator, const queue& own, const std::string& host = {},
                          const process_manner& how = {});

  /// Returns the number of ranks, of all processes.
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  /// Returns whether a rank is of this process; the first of those that are.
  [[nodiscard]] bool has(std::size_t rank) const noexcept {
    return rank >= first_ && rank - first_ < queues_.size();
  }
  [[nodiscard]] std::size_t first() const noexcept { return first_; }

  /// Returns the queue of a rank of this process, in whose order its work is done.
  [[nodiscard]] queue& at(std::size_t rank) { return queues_.at(rank - first_); }
  [[nodiscard]] const queue& at(std::size_t rank) const { return queues_.at(rank - first_); }

  /// Returns when everything queued so far has finished on all ranks of this process.
  void wait() const;

  /// For wingbeat's own sources: the connections to other processes; null where all ranks are of
  /// this one.
  [[nodiscard]] const std::shared_ptr<processes::group>& group() const noexcept { return group_; }
  [[nodiscard]] bool may_share_memory() const noexcept { return may_share_memory_; }
  [[nodiscard]] distributing::chosen_transport& transport() const noexcept { return *transport_; }

 private:
  explicit domain(std::vector<queue> queues) : queues_(std::move(queues)), size_(queues_.size()) {}

  std::vector<queue> queues_;
  std::size_t first_ = 0, size_ = 0;
  std::shared_ptr<processes::group> group_ = {};
  std::shared_ptr<distributing::chosen_transport> transport_ = {};  ///< Ends before the group.
  bool may_share_memory_ = true;
};

}  // namespace wingbeat
