// SPDX-License-Identifier: Apache-2.0
// A kernel's workgroups on the host: one std::thread for each of their threads and a std::barrier,
// so that a debugger steps through the kernel and a sanitizer sees a missing barrier as the race
// it is. Slow, and meant to be: engines are elsewhere. Header only, C++20.
#pragma once

#include <algorithm>  // min
#include <atomic>     // atomic, atomic_ref
#include <barrier>
#include <cstddef>  // size_t
#include <deque>
#include <exception>  // exception_ptr
#include <memory>     // unique_ptr
#include <mutex>
#include <optional>
#include <stdexcept>  // runtime_error
#include <thread>
#include <utility>  // move
#include <vector>

#include "wingbeat/cpp20.hpp"  // stops older C++

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

/// What the workgroups of an emulated cluster share.
struct emulated_cluster {
  explicit emulated_cluster(unsigned n_threads) : all(n_threads) {}

  std::barrier<> all;
  std::deque<std::barrier<>> workgroups;
  std::vector<std::unique_ptr<char[]>> memories;  // local memory of each
  std::atomic<bool> has_failed = false;
};

/// One thread's view of its workgroup and of the cluster that it belongs to; see port.hpp.
class emulated_cluster_group {
 public:
  static constexpr unsigned subgroup_threads = 1;
  using token = std::optional<std::barrier<>::arrival_token>;

  emulated_cluster_group(unsigned thread, std::size_t index, unsigned rank,
                         emulated_cluster& cluster, token& arrived)
      : thread_(thread), index_(index), rank_(rank), cluster_(&cluster), arrived_(&arrived) {}

  [[nodiscard]] unsigned thread() const { return thread_; }
  [[nodiscard]] std::size_t index() const { return index_; }
  void barrier() const { cluster_->workgroups[rank_].arrive_and_wait(); }
  void subgroup_barrier() const {}  // one thread has nobody to wait for

  void cluster_arrive() const { arrived_->emplace(cluster_->all.arrive()); }
  void cluster_wait() const {
    cluster_->all.wait(std::move(**arrived_));
    arrived_->reset();
  }

  /// Makes a counter of bytes to come. Its owner alone writes it before others may send.
  void expect(void* arrivals, unsigned bytes) const { *static_cast<unsigned*>(arrivals) = bytes; }

  /// Returns where workgroup `rank` has what this one has at `at`.
  template <class T>
  T* of_peer(T* at, unsigned rank) const {
    const auto offset = reinterpret_cast<char*>(at) - cluster_->memories[rank_].get();
    return reinterpret_cast<T*>(cluster_->memories[rank].get() + offset);
  }

  template <class T>
  void send(T* to, unsigned i, T z, void* arrivals) const {
    to[i] = z;
    const std::atomic_ref left{*static_cast<unsigned*>(arrivals)};
    left.fetch_sub(static_cast<unsigned>(sizeof(T)), std::memory_order_release);
  }

  /// Throws where a thread of the cluster failed: what it would have sent never comes.
  void receive(void* arrivals) const {
    const std::atomic_ref left{*static_cast<unsigned*>(arrivals)};
    while (left.load(std::memory_order_acquire) != 0) {
      if (cluster_->has_failed) throw std::runtime_error("another thread of the cluster failed");
      std::this_thread::yield();
    }
  }

 private:
  unsigned thread_;
  std::size_t index_;
  unsigned rank_;
  emulated_cluster* cluster_;
  token* arrived_;
};

/// Calls body(group, local_memory) once for each of `n_threads` threads of each of `n_workgroups`
/// workgroups, all at once, and returns when all have. They are workgroups first_index, .. of their
/// grid; each has `scratch_bytes` of local memory. Throws as `run_workgroup` does.
template <class Body>
void run_cluster(unsigned n_workgroups, unsigned n_threads, std::size_t scratch_bytes,
                 const Body& body, std::size_t first_index = 0) {
  emulated_cluster cluster{n_workgroups * n_threads};
  for (unsigned rank = 0; rank < n_workgroups; ++rank) {
    cluster.workgroups.emplace_back(n_threads);
    cluster.memories.push_back(std::make_unique<char[]>(scratch_bytes));
  }
  std::mutex one_at_a_time;
  std::exception_ptr failure;
  const auto run = [&](unsigned rank, unsigned thread) {
    emulated_cluster_group::token arrived;
    try {
      const emulated_cluster_group group{thread, first_index + rank, rank, cluster, arrived};
      body(group, cluster.memories[rank].get());
    } catch (...) {
      {
        const std::lock_guard held{one_at_a_time};
        if (!failure) failure = std::current_exception();
      }
      cluster.has_failed = true;
      cluster.workgroups[rank].arrive_and_drop();
      if (arrived) cluster.all.wait(std::move(*arrived));  // it counts in this phase already
      cluster.all.arrive_and_drop();
    }
  };
  std::vector<std::jthread> threads;
  for (unsigned i = 0; i < n_workgroups * n_threads; ++i) {
    threads.emplace_back(run, i / n_threads, i % n_threads);
  }
  threads.clear();  // joins
  if (failure) std::rethrow_exception(failure);
}

}  // namespace wingbeat
