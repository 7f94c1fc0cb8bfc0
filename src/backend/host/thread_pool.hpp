// SPDX-License-Identifier: Apache-2.0
// The threads of the host engine, shared by all its queues and plans.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>  // size_t
#include <exception>
#include <mutex>
#include <thread>
#include <type_traits>  // is_invocable_v
#include <vector>

namespace wingbeat::backend::host {

/// A callable (index, slot), borrowed for the length of a call: nothing is copied or allocated.
class task {
 public:
  template <class Callable>
  requires std::is_invocable_v<const Callable&, std::size_t, unsigned> task(
      const Callable& what)  // NOLINT: converts on purpose, so that call sites pass lambdas
      : what_(&what), call_([](const void* it, std::size_t index, unsigned slot) {
          (*static_cast<const Callable*>(it))(index, slot);
        }) {}
  void operator()(std::size_t index, unsigned slot) const { call_(what_, index, slot); }

 private:
  const void* what_;
  void (*call_)(const void*, std::size_t, unsigned);
};

/// Runs tasks on the calling thread and on workers that sleep in between.
class thread_pool {
 public:
  /// Returns the pool of this process: $WINGBEAT_THREADS threads, or one per processor. It is
  /// never destroyed, so that destructors of objects with static storage may use it; at exit it
  /// is closed. Throws `plan_error` when the variable is not a count from 1 to 1024.
  static thread_pool& shared();

  /// Starts `n_threads - 1` workers: the caller of `run` is the other thread.
  explicit thread_pool(unsigned n_threads);
  ~thread_pool();
  thread_pool(const thread_pool&) = delete;
  thread_pool& operator=(const thread_pool&) = delete;

  [[nodiscard]] unsigned n_threads() const noexcept { return n_threads_; }

  /// Runs task 0 to `n_tasks` - 1, in any order, on at most `n_threads` threads, and returns when
  /// all are done. `slot`, below n_threads(), is never held by two tasks of this call at once.
  /// While another thread's call is running, in a forked child, or once the pool is closed, the
  /// caller does all itself. Rethrows the first exception of a task.
  void run(std::size_t n_tasks, unsigned n_threads, task each);

  /// Ends the workers; n_threads() stays as it is. Does nothing in a forked child, which has none,
  /// and while tasks are running, because one of them may be what ends the program.
  void close() noexcept;

 private:
  void work(unsigned slot);
  void drain(unsigned slot) noexcept;

  unsigned n_threads_ = 1;
  int process_;        // a forked child has no workers
  std::mutex in_use_;  // held by the thread whose tasks are running, or that closes the pool
  std::mutex mutex_;   // of all below but next_
  std::condition_variable wake_;
  std::condition_variable done_;
  const task* each_ = nullptr;
  std::size_t n_tasks_ = 0;
  std::atomic<std::size_t> next_ = 0;
  unsigned n_wanted_ = 0;   // workers that take part
  unsigned n_running_ = 0;  // workers that have not finished
  std::size_t round_ = 0;
  bool is_closing_ = false;  // written under both mutexes
  std::exception_ptr failure_;
  std::vector<std::thread> workers_;
};

}  // namespace wingbeat::backend::host
