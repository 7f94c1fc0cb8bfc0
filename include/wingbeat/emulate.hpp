// SPDX-License-Identifier: Apache-2.0
// Runs a kernel's workgroups on the host, with one std::thread per thread of the kernel and a
// std::barrier, so that a debugger steps through the kernel and a sanitizer sees a missing barrier
// as the race it is. Reports threads that pass different barriers, and too many or too few threads.
// Slow: for tests and debugging, not for results. Header only, C++20.
#pragma once

#include <algorithm>  // all_of, find, min
#include <atomic>     // atomic, atomic_ref
#include <barrier>
#include <cstddef>  // size_t
#include <deque>
#include <exception>  // exception_ptr
#include <memory>     // unique_ptr
#include <mutex>
#include <optional>
#include <span>
#include <stdexcept>  // logic_error, runtime_error
#include <string>     // to_string
#include <thread>
#include <utility>  // move
#include <vector>

#include "wingbeat/cpp20.hpp"  // stops older C++

namespace wingbeat {

/// The barriers that one emulated thread has passed.
struct emulated_barriers {
  std::size_t of_workgroup = 0, of_subgroup = 0, of_cluster = 0;
};

/// Throws std::logic_error unless `expected` threads were started: `workgroup::team` requires as
/// many as its shape has.
inline void expect_emulated_threads(unsigned started, unsigned expected) {
  if (started == expected) return;
  throw std::logic_error("the workgroup was started with " + std::to_string(started) +
                         " threads and its team has " + std::to_string(expected) +
                         ": start workgroup_threads of the transform's description");
}

/// Throws std::logic_error if threads `first`, first + 1, .. have passed different numbers of
/// barriers of a kind, for example because one returned early. `group_name` names their group.
inline void expect_same_barriers(std::span<const emulated_barriers> passed, std::size_t first,
                                 const std::string& group_name,
                                 std::size_t emulated_barriers::*kind, const char* kind_name) {
  for (std::size_t t = 1; t < passed.size(); ++t) {
    if (passed[t].*kind == passed[0].*kind) continue;
    const bool is_fewer = passed[t].*kind < passed[0].*kind;
    const std::size_t early = is_fewer ? t : 0, late = is_fewer ? 0 : t;
    throw std::logic_error("in " + group_name + ", thread " + std::to_string(first + early) +
                           " passed " + std::to_string(passed[early].*kind) + " barriers of its " +
                           kind_name + " and thread " + std::to_string(first + late) + " passed " +
                           std::to_string(passed[late].*kind) +
                           ": every thread passes every barrier, so guard loads and stores, never "
                           "a call that has barriers");
  }
}

/// One thread's view of its workgroup, in place of a device's `device::group`. Every `Subgroup`
/// threads are a subgroup: 1, or 32 to be as strict as an NVIDIA GPU.
template <unsigned Subgroup>
class emulated_group_of {
 public:
  static constexpr unsigned subgroup_threads = Subgroup;

  emulated_group_of(unsigned thread, std::size_t index, unsigned n_threads,
                    std::barrier<>& of_workgroup, std::barrier<>& of_subgroup,
                    emulated_barriers& passed)
      : thread_(thread),
        n_threads_(n_threads),
        index_(index),
        of_workgroup_(&of_workgroup),
        of_subgroup_(&of_subgroup),
        passed_(&passed) {}

  [[nodiscard]] unsigned thread() const { return thread_; }
  [[nodiscard]] std::size_t index() const { return index_; }
  void barrier() const {
    of_workgroup_->arrive_and_wait();
    ++passed_->of_workgroup;
  }
  void subgroup_barrier() const {
    if constexpr (Subgroup > 1) {  // a subgroup of one thread needs no barrier
      of_subgroup_->arrive_and_wait();
      ++passed_->of_subgroup;
    }
  }
  void expect_threads(unsigned expected) const { expect_emulated_threads(n_threads_, expected); }

 private:
  unsigned thread_, n_threads_;
  std::size_t index_;
  std::barrier<>* of_workgroup_;
  std::barrier<>* of_subgroup_;
  emulated_barriers* passed_;
};

/// A kernel's body that takes its group as an argument runs in every dialect:
///     run_workgroup(n_threads, [&](emulated_group group) { body(group, in, out, scratch); });
using emulated_group = emulated_group_of<1>;

/// Calls `body(group)` once for each of `n_threads` threads of workgroup `index`, all at once, and
/// returns when all have returned. A thread that returns or throws leaves all barriers, so that no
/// other thread waits for it. Rethrows the first exception of a body; throws std::logic_error if
/// threads passed different numbers of barriers, or if a team has another number of threads.
template <unsigned Subgroup = 1, class Body>
void run_workgroup(unsigned n_threads, const Body& body, std::size_t index = 0) {
  std::barrier<> of_workgroup(n_threads);
  std::deque<std::barrier<>> of_subgroups;  // one barrier per subgroup
  for (unsigned first = 0; first < n_threads; first += Subgroup) {
    of_subgroups.emplace_back(std::min(Subgroup, n_threads - first));
  }
  std::vector<emulated_barriers> passed(n_threads);
  std::mutex mutex;
  std::exception_ptr failure;
  std::vector<std::jthread> threads;
  threads.reserve(n_threads);
  for (unsigned t = 0; t < n_threads; ++t) {
    threads.emplace_back([&, t] {
      try {
        body(emulated_group_of<Subgroup>{t, index, n_threads, of_workgroup,
                                         of_subgroups[t / Subgroup], passed[t]});
      } catch (...) {
        const std::lock_guard held{mutex};
        if (!failure) failure = std::current_exception();
      }
      of_workgroup.arrive_and_drop();
      of_subgroups[t / Subgroup].arrive_and_drop();
    });
  }
  threads.clear();  // joins
  if (failure) std::rethrow_exception(failure);
  const std::string name = "workgroup " + std::to_string(index);
  expect_same_barriers(passed, 0, name, &emulated_barriers::of_workgroup, "workgroup");
  for (unsigned first = 0; first < n_threads; first += Subgroup) {
    const std::size_t count = std::min(Subgroup, n_threads - first);
    expect_same_barriers(std::span{passed}.subspan(first, count), first, name,
                         &emulated_barriers::of_subgroup, "subgroup");
  }
}

/// Runs workgroups 0 .. n_workgroups - 1 one after another, so that they may share local memory.
template <class Body>
void run_grid(std::size_t n_workgroups, unsigned n_threads, const Body& body) {
  for (std::size_t index = 0; index < n_workgroups; ++index) run_workgroup(n_threads, body, index);
}

/// State shared by the workgroups of an emulated cluster.
struct emulated_cluster {
  explicit emulated_cluster(unsigned n_threads)
      : of_cluster(n_threads), passed(n_threads), n_running(n_threads) {}

  std::barrier<> of_cluster;
  std::deque<std::barrier<>> workgroups;
  std::vector<std::unique_ptr<char[]>> memories;  // local memory of each workgroup
  std::vector<emulated_barriers> passed;          // by each thread, workgroup by workgroup
  std::atomic<bool> has_failed = false;

  std::mutex mutex;                   // guards the members below
  std::exception_ptr failure;         // of the first thread that failed
  std::size_t n_running;              // threads that have not returned
  std::vector<unsigned*> waited_for;  // arrival counters, one for each thread that waits

  /// Returns whether all running threads wait for bytes, so that none can send any.
  [[nodiscard]] bool is_stuck() {
    const std::lock_guard held{mutex};
    return waited_for.size() == n_running &&
           std::all_of(waited_for.begin(), waited_for.end(), [](unsigned* arrivals) {
             return std::atomic_ref{*arrivals}.load(std::memory_order_acquire) != 0;
           });
  }
};

/// One thread's view of its workgroup and of the cluster that it belongs to; see port.hpp.
class emulated_cluster_group {
 public:
  static constexpr unsigned subgroup_threads = 1;
  using token = std::optional<std::barrier<>::arrival_token>;

  emulated_cluster_group(unsigned thread, std::size_t index, unsigned rank, unsigned n_threads,
                         emulated_cluster& cluster, token& arrived)
      : thread_(thread),
        rank_(rank),
        n_threads_(n_threads),
        index_(index),
        cluster_(&cluster),
        arrived_(&arrived) {}

  [[nodiscard]] unsigned thread() const { return thread_; }
  [[nodiscard]] std::size_t index() const { return index_; }
  void barrier() const {
    cluster_->workgroups[rank_].arrive_and_wait();
    ++passed().of_workgroup;
  }
  void subgroup_barrier() const {}  // a subgroup of one thread needs no barrier
  void expect_threads(unsigned expected) const { expect_emulated_threads(n_threads_, expected); }

  void cluster_arrive() const { arrived_->emplace(cluster_->of_cluster.arrive()); }
  void cluster_wait() const {
    cluster_->of_cluster.wait(std::move(**arrived_));
    arrived_->reset();
    ++passed().of_cluster;
  }

  /// Sets a counter of expected bytes. Only its owner writes it, before others may send.
  void expect(void* arrivals, unsigned bytes) const { *static_cast<unsigned*>(arrivals) = bytes; }

  /// Returns the address in workgroup `rank`'s local memory that corresponds to `address` in this
  /// one's.
  template <class T>
  T* of_peer(T* address, unsigned rank) const {
    const auto offset = reinterpret_cast<char*>(address) - cluster_->memories[rank_].get();
    return reinterpret_cast<T*>(cluster_->memories[rank].get() + offset);
  }

  template <class T>
  void send(T* target, unsigned i, T z, void* arrivals) const {
    target[i] = z;
    const std::atomic_ref left{*static_cast<unsigned*>(arrivals)};
    left.fetch_sub(static_cast<unsigned>(sizeof(T)), std::memory_order_release);
  }

  /// Waits until the expected bytes have arrived. Throws if a thread of the cluster failed; throws
  /// std::logic_error if all threads wait or have returned, because the bytes then never arrive.
  void receive(void* arrivals) const {
    auto* const counter = static_cast<unsigned*>(arrivals);
    {
      const std::lock_guard held{cluster_->mutex};
      cluster_->waited_for.push_back(counter);
    }
    const std::atomic_ref left{*counter};
    bool is_stuck = false;
    while (left.load(std::memory_order_acquire) != 0 && !cluster_->has_failed && !is_stuck) {
      std::this_thread::yield();
      is_stuck = cluster_->is_stuck();
    }
    {
      const std::lock_guard held{cluster_->mutex};
      auto& counters = cluster_->waited_for;
      counters.erase(std::find(counters.begin(), counters.end(), counter));
    }
    if (cluster_->has_failed) throw std::runtime_error("another thread of the cluster failed");
    if (!is_stuck) return;
    throw std::logic_error("workgroup " + std::to_string(index_) + " waits for " +
                           std::to_string(left.load()) +
                           " bytes more than the cluster's workgroups have sent it: let every "
                           "thread send, and expect no more bytes than come");
  }

 private:
  [[nodiscard]] emulated_barriers& passed() const {
    return cluster_->passed[rank_ * n_threads_ + thread_];
  }

  unsigned thread_, rank_, n_threads_;
  std::size_t index_;
  emulated_cluster* cluster_;
  token* arrived_;
};

/// Calls body(group, local_memory) once for each of `n_threads` threads of each of `n_workgroups`
/// workgroups, all at once, and returns when all have returned. The workgroups are numbered from
/// `first_index` in their grid; each has `scratch_bytes` of local memory. Throws as `run_workgroup`
/// does, and if threads wait for bytes that no thread sends.
template <class Body>
void run_cluster(unsigned n_workgroups, unsigned n_threads, std::size_t scratch_bytes,
                 const Body& body, std::size_t first_index = 0) {
  emulated_cluster cluster{n_workgroups * n_threads};
  for (unsigned rank = 0; rank < n_workgroups; ++rank) {
    cluster.workgroups.emplace_back(n_threads);
    cluster.memories.push_back(std::make_unique<char[]>(scratch_bytes));
  }
  const auto run = [&](unsigned rank, unsigned thread) {
    emulated_cluster_group::token arrived;
    std::exception_ptr failure;
    try {
      body(emulated_cluster_group{thread, first_index + rank, rank, n_threads, cluster, arrived},
           cluster.memories[rank].get());
    } catch (...) {
      failure = std::current_exception();
    }
    {
      const std::lock_guard held{cluster.mutex};
      --cluster.n_running;
      if (failure && !cluster.failure) cluster.failure = failure;
    }
    if (failure) cluster.has_failed = true;
    cluster.workgroups[rank].arrive_and_drop();
    // A thread that has arrived already completes this phase before it leaves.
    if (arrived) cluster.of_cluster.wait(std::move(*arrived));
    cluster.of_cluster.arrive_and_drop();
  };
  std::vector<std::jthread> threads;
  for (unsigned i = 0; i < n_workgroups * n_threads; ++i) {
    threads.emplace_back(run, i / n_threads, i % n_threads);
  }
  threads.clear();  // joins
  if (cluster.failure) std::rethrow_exception(cluster.failure);
  for (unsigned rank = 0; rank < n_workgroups; ++rank) {
    expect_same_barriers(std::span{cluster.passed}.subspan(rank * n_threads, n_threads), 0,
                         "workgroup " + std::to_string(first_index + rank),
                         &emulated_barriers::of_workgroup, "workgroup");
  }
  // Threads are numbered over all workgroups of the cluster.
  expect_same_barriers(cluster.passed, 0, "the cluster of workgroup " + std::to_string(first_index),
                       &emulated_barriers::of_cluster, "cluster");
}

}  // namespace wingbeat
