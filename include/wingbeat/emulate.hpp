// SPDX-License-Identifier: Apache-2.0
// A kernel's workgroups on the host: one std::thread for each of their threads and a std::barrier,
// so that a debugger steps through the kernel and a sanitizer sees a missing barrier as the race
// it is. Slow, and meant to be: engines are elsewhere. Header only, C++20.
#pragma once

#include <algorithm>  // min
#include <barrier>
#include <cstddef>  // size_t
#include <deque>
#include <exception>  // exception_ptr
#include <mutex>
#include <thread>
#include <vector>

namespace wingbeat {

/// What `device::group` is on a device: one thread's view of its workgroup, in which every
/// `Subgroup` threads are a subgroup: 1, or 32 to be as strict as an NVIDIA GPU.
template <unsigned Subgroup>
class emulated_group_of {
 public:
  static constexpr unsigned subgroup_threads = Subgroup;

  emulated_group_of(unsigned thread, std::size_t index, std::barrier<>& all, std::barrier<>& near)
      : thread_(thread), index_(index), all_(&all), near_(&near) {}

  [[nodiscard]] unsigned thread() const { return thread_; }
  [[nodiscard]] std::size_t index() const { return index_; }
  void barrier() const { all_->arrive_and_wait(); }
  void subgroup_barrier() const {
    if constexpr (Subgroup > 1) near_->arrive_and_wait();  // one thread has nobody to wait for
  }

 private:
  unsigned thread_;
  std::size_t index_;
  std::barrier<>* all_;
  std::barrier<>* near_;
};

/// A kernel's body that takes its group as an argument runs in every dialect:
///     run_workgroup(n_threads, [&](emulated_group group) { body(group, in, out, scratch); });
using emulated_group = emulated_group_of<1>;

/// Calls `body(group)` once for each of `n_threads` threads of workgroup `index`, all at once,
/// and returns when all have. Throws what the first body to fail threw; a thread that fails stops
/// taking part in barriers, so the others do not wait for it.
template <unsigned Subgroup = 1, class Body>
void run_workgroup(unsigned n_threads, const Body& body, std::size_t index = 0) {
  std::barrier<> all(n_threads);
  std::deque<std::barrier<>> near;  // of each subgroup
  for (unsigned first = 0; first < n_threads; first += Subgroup) {
    near.emplace_back(std::min(Subgroup, n_threads - first));
  }
  std::mutex one_at_a_time;
  std::exception_ptr failure;
  std::vector<std::jthread> threads;
  threads.reserve(n_threads);
  for (unsigned t = 0; t < n_threads; ++t) {
    threads.emplace_back([&, t] {
      try {
        body(emulated_group_of<Subgroup>{t, index, all, near[t / Subgroup]});
      } catch (...) {
        all.arrive_and_drop();
        near[t / Subgroup].arrive_and_drop();
        const std::lock_guard held{one_at_a_time};
        if (!failure) failure = std::current_exception();
      }
    });
  }
  threads.clear();  // joins
  if (failure) std::rethrow_exception(failure);
}

/// Runs workgroups 0 .. n_workgroups - 1 one after another: their local memory may be the same.
template <class Body>
void run_grid(std::size_t n_workgroups, unsigned n_threads, const Body& body) {
  for (std::size_t index = 0; index < n_workgroups; ++index) run_workgroup(n_threads, body, index);
}

}  // namespace wingbeat
