// SPDX-License-Identifier: Apache-2.0
// A workgroup on the host: one std::thread per device thread and a std::barrier, so that the
// sanitizers see a missing barrier as the race it is.
#pragma once

#include <barrier>
#include <cstddef>    // size_t
#include <exception>  // exception_ptr
#include <mutex>
#include <thread>
#include <vector>

#include "wingbeat/device/port.hpp"  // subgroup_size

namespace wingbeat::test {

/// What `device::group` is on a device: one thread's view of its workgroup.
///     run_workgroup(n_threads, [&](emulated_group group) {
///       const team<Shape, Lanes, emulated_group> team{group};
///       fft::execute(team, load, store, scratch, table);
///     });
class emulated_group {
 public:
  emulated_group(unsigned thread, std::size_t index, std::barrier<>& meeting)
      : thread_(thread), index_(index), meeting_(&meeting) {}

  [[nodiscard]] unsigned thread() const { return thread_; }
  [[nodiscard]] std::size_t index() const { return index_; }
  void barrier() const { meeting_->arrive_and_wait(); }

  /// A subgroup of the host is one thread, which has nobody to wait for.
  void subgroup_barrier() const {
    static_assert(device::subgroup_size == 1, "a host thread is a subgroup of its own");
  }

 private:
  unsigned thread_;
  std::size_t index_;
  std::barrier<>* meeting_;
};

/// Calls `body(group)` once for each of `n_threads` threads of workgroup `index`, all at once,
/// and returns when all have. Throws what the first body to fail threw; a thread that fails stops
/// taking part in barriers, so the others do not wait for it.
template <class Body>
void run_workgroup(unsigned n_threads, const Body& body, std::size_t index = 0) {
  std::barrier<> meeting(n_threads);
  std::mutex one_at_a_time;
  std::exception_ptr failure;
  std::vector<std::jthread> threads;
  threads.reserve(n_threads);
  for (unsigned t = 0; t < n_threads; ++t) {
    threads.emplace_back([&, t] {
      try {
        body(emulated_group{t, index, meeting});
      } catch (...) {
        meeting.arrive_and_drop();
        const std::lock_guard held{one_at_a_time};
        if (!failure) failure = std::current_exception();
      }
    });
  }
  threads.clear();  // joins
  if (failure) std::rethrow_exception(failure);
}

}  // namespace wingbeat::test
