// SPDX-License-Identifier: Apache-2.0
// The threads of the host engine, shared by all its queues and plans.
#pragma once

#include <algorithm>  // clamp, max
#include <atomic>
#include <cstddef>  // size_t
#include <cstdint>  // uint32_t, uint64_t
#include <exception>
#include <mutex>
#include <thread>
#include <type_traits>  // is_invocable_v
#include <vector>

#include "backend/host/thresholds.hpp"  // limits

namespace wingbeat::backend::host {

/// A callable (index, slot), borrowed for the length of a call: nothing is copied or allocated.
class task {
 public:
  template <class Callable>
  requires std::is_invocable_v<const Callable&, std::size_t, unsigned> task(
      const Callable& callable)  // NOLINT: converts on purpose, so that call sites pass lambdas
      : callable_(&callable), call_([](const void* object, std::size_t index, unsigned slot) {
          (*static_cast<const Callable*>(object))(index, slot);
        }) {}
  void operator()(std::size_t index, unsigned slot) const { call_(callable_, index, slot); }

 private:
  const void* callable_;
  void (*call_)(const void*, std::size_t, unsigned);
};

/// Runs tasks on the calling thread and on workers. A worker without tasks waits in a loop for a
/// short while, so that a next call finds it awake, and then sleeps.
class thread_pool {
 public:
  /// Returns the pool of this process: $WINGBEAT_THREADS threads, or one per processor. It is never
  /// destroyed, so that destructors of objects with static storage may use it; at exit it is
  /// closed. Throws `plan_error` if the variable is not a count from 1 to 1024.
  static thread_pool& shared();

  /// Starts `n_threads - 1` workers: the caller of `run` is the other thread. They wait awake for
  /// `limits.wait_awake`, or sleep at once. `only_idle` uses at most as many workers as processors
  /// are idle, because a worker that waits for a processor delays its caller.
  thread_pool(unsigned n_threads, bool waits_awake, bool only_idle = false);
  ~thread_pool();
  thread_pool(const thread_pool&) = delete;
  thread_pool& operator=(const thread_pool&) = delete;

  [[nodiscard]] unsigned n_threads() const noexcept { return n_threads_; }
  /// Returns whether work, as `thresholds` counts it, is worth a second thread.
  [[nodiscard]] bool is_worth_sharing(double work) const noexcept {
    return work >= std::max(limits.min_shared_work, work_per_thread());
  }
  /// Returns the number of threads to use for this work.
  [[nodiscard]] unsigned threads_for(double work) const noexcept {
    if (!is_worth_sharing(work)) return 1;
    return static_cast<unsigned>(std::clamp(work / work_per_thread(), 1.0, double(n_threads_)));
  }

  /// Runs task 0 to `n_tasks` - 1, in any order, on at most `n_threads` threads and the caller's
  /// `thread_limit`, and returns when all are done. `slot`, below n_threads(), is never held by two
  /// tasks of this call at once. While another thread's call is running, in a forked child, or once
  /// the pool is closed, the caller runs all tasks itself. Rethrows the first exception of a task.
  void run(std::size_t n_tasks, unsigned n_threads, task each);

  /// Runs `work(begin, end, slot)` on at most `n_shares` parts of 0 to `n`; on a single thread,
  /// calls it once for all.
  template <class Work>
  void share(std::size_t n, std::size_t n_shares, unsigned n_threads, const Work& work) {
    if (n_threads <= 1) return work(std::size_t{0}, n, 0U);
    n_shares = std::clamp<std::size_t>(n, 1, n_shares);
    run(n_shares, n_threads, [&](std::size_t i, unsigned slot) {
      work(n * i / n_shares, n * (i + 1) / n_shares, slot);
    });
  }

  /// Ends the workers; n_threads() does not change. Does nothing in a forked child, which has no
  /// workers, and while tasks are running, because one of them may be ending the program.
  void close() noexcept;

 private:
  [[nodiscard]] double work_per_thread() const noexcept {
    return waits_awake_ ? limits.work_per_awake_thread : limits.work_per_thread;
  }

  /// The variables on which one worker waits, in their own cache line.
  struct alignas(64) seat {
    std::atomic<std::uint32_t> round = 0;  // the last round that calls it
    std::thread worker = {};
  };

  void work(unsigned slot);
  void drain(unsigned slot) noexcept;
  [[nodiscard]] bool enter(std::uint32_t round) noexcept;
  void leave(std::uint32_t round) noexcept;
  void await_change(const std::atomic<std::uint32_t>& counter, std::uint32_t seen) const noexcept;

  unsigned n_threads_ = 1;
  bool waits_awake_;
  bool only_idle_;
  int process_;              // a forked child has no workers
  std::mutex in_use_;        // held while tasks run or the pool is closed
  std::vector<seat> seats_;  // of workers; slot i has seat i - 1
  // Written by the caller before `gate_` opens, read by workers that entered before it shut.
  const task* each_ = nullptr;
  std::size_t n_tasks_ = 0;
  std::uint32_t round_ = 0;
  std::atomic<std::size_t> next_ = 0;
  std::atomic<std::uint64_t> gate_ = 0;      // see `gate` in the source
  std::atomic<std::uint32_t> finished_ = 0;  // the last round that workers left after its gate shut
  std::atomic<bool> is_closing_ = false;
  std::mutex failing_;  // guards the next
  std::exception_ptr failure_;
};

}  // namespace wingbeat::backend::host
