// SPDX-License-Identifier: Apache-2.0
// The devices that share a transform; each is a rank, and ranks belong to one process or to
// several.
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
  double patience_s = 30;  ///< How long ranks wait for one another.
  /// Ranks store in each other's memory if all of them can: GPUs of one machine, by CUDA's IPC with
  /// peer access; host and reference in threads of one process.
  bool may_share_memory = true;
  /// Otherwise devices send by NCCL (libnccl.so.2, 2.14 or later, opened at run time) if all of
  /// them are cuda GPUs with one rank each and all processes have NCCL; if not, by TCP.
  bool may_use_nccl = true;
};

/// The ranks of a transform, numbered from 0. Cheap to copy: copies have the same queues.
class domain {
 public:
  /// Maximum ranks of a domain, and of a domain whose ranks store in each other's memory, such as
  /// those of one process.
  static constexpr std::size_t max_ranks = 512, max_sharing_ranks = 16;

  /// Opens a queue on each of these devices, in this process; a device that is named several times
  /// is several ranks. Throws `plan_error` for no device, for too many, and for devices that cannot
  /// reach each other's memory. Those that can are cuda devices with peer access, one opencl
  /// device, or host and reference.
  static domain of_devices(const std::vector<device_info>& devices);

  /// The same with your own queues, one for each rank.
  static domain of_queues(std::vector<queue> queues);

  /// Connects this process by TCP to the others. Each process has one rank, on any device of any
  /// engine, and calls this at about the same time. All processes make whatever uses the domain, in
  /// the same order, and destroy it in the same order. If a rank never comes, does not answer in
  /// time or is lost, all others throw a `device_error` that names it, and the domain is unusable
  /// from then on. Throws `plan_error` for an impossible rank, size or address.
  ///
  ///     domain ranks = domain::at(process_rank_of_environment(), queue{});
  static domain at(const process_rank& place, const queue& own, const process_manner& how = {});

  /// The same for the ranks of an ncclComm_t, made by the libnccl.so.2 that this process has open;
  /// all of them call this. Two gathers of 256 bytes per rank on the queue tell them where to
  /// connect: at `host` of rank 0; if `host` is empty, at the name of rank 0's machine, or on
  /// loopback if all are on one machine. No data goes over the communicator, so it stays yours.
  /// Throws `plan_error` for a queue of an engine other than cuda, and `device_error` without NCCL
  /// or if ranks did not come in time.
  static domain from_nccl(void* communicator, const queue& own, const std::string& host = {},
                          const process_manner& how = {});

  /// Returns the number of ranks in all processes.
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  /// Returns whether a rank belongs to this process; `first` returns the first rank that does.
  [[nodiscard]] bool has(std::size_t rank) const noexcept {
    return rank >= first_ && rank - first_ < queues_.size();
  }
  [[nodiscard]] std::size_t first() const noexcept { return first_; }

  /// Returns the queue of a rank of this process; the rank's work runs in its order.
  [[nodiscard]] queue& at(std::size_t rank) { return queues_.at(rank - first_); }
  [[nodiscard]] const queue& at(std::size_t rank) const { return queues_.at(rank - first_); }

  /// Returns when everything queued so far on the ranks of this process has finished.
  void wait() const;

  /// For wingbeat's own sources: the connections to other processes; null if all ranks belong to
  /// this one.
  [[nodiscard]] const std::shared_ptr<processes::group>& group() const noexcept { return group_; }
  [[nodiscard]] bool may_share_memory() const noexcept { return may_share_memory_; }
  [[nodiscard]] distributing::chosen_transport& transport() const noexcept { return *transport_; }

 private:
  explicit domain(std::vector<queue> queues) : queues_(std::move(queues)), size_(queues_.size()) {}

  std::vector<queue> queues_;
  std::size_t first_ = 0, size_ = 0;
  std::shared_ptr<processes::group> group_ = {};
  std::shared_ptr<distributing::chosen_transport> transport_ = {};  ///< Destroyed before the group.
  bool may_share_memory_ = true;
};

}  // namespace wingbeat
