// SPDX-License-Identifier: Apache-2.0
#include "backend/host/thread_pool.hpp"

#include <fcntl.h>   // open
#include <unistd.h>  // getpid, pread, sysconf

#include <algorithm>  // clamp, max, min
#include <chrono>     // steady_clock
#include <cstdlib>    // getenv
#include <memory>     // make_unique
#include <string_view>
#include <system_error>

#include "backend/host/thresholds.hpp"  // limits
#include "system/fork_safe_mutex.hpp"   // fork_safe_mutex
#include "text/number.hpp"              // number_from
#include "text/reject.hpp"              // reject
#include "wingbeat/thread_limit.hpp"    // thread_limit

namespace wingbeat::backend::host {
namespace {

constexpr unsigned max_threads = 1024;

/// Returns $WINGBEAT_THREADS; 0 if it is not set.
unsigned threads_wanted() {
  const char* const given = std::getenv("WINGBEAT_THREADS");
  if (given == nullptr || *given == '\0') return 0;
  const unsigned count = number_from<unsigned>(given).value_or(0);
  if (count >= 1 && count <= max_threads) return count;
  reject("WINGBEAT_THREADS is '{}'; set it to a number of threads from 1 to {}", given,
         max_threads);
}

std::unique_ptr<thread_pool> make_shared_pool() {
  const unsigned n_processors = std::clamp(std::thread::hardware_concurrency(), 1U, max_threads);
  const unsigned wanted = threads_wanted(), n_threads = wanted == 0 ? n_processors : wanted;
  const bool waits_awake = n_threads >= limits.min_pool_awake && n_threads <= n_processors;
  // Workers that wait awake count as running, so their pool cannot use idle_processors().
  return std::make_unique<thread_pool>(n_threads, waits_awake, wanted == 0 && !waits_awake);
}

/// Returns how many processors of the system are idle besides this thread's; a large number if the
/// system does not report it. Takes 2 us.
unsigned idle_processors() {
  constexpr unsigned unknown = max_threads;
  static const int loads = open("/proc/loadavg", O_RDONLY | O_CLOEXEC);
  char text[64];  // "0.20 0.18 0.12 1/80 11206": one of 80 threads runs
  const ssize_t n = loads < 0 ? -1 : pread(loads, text, sizeof text - 1, 0);
  if (n <= 0) return unknown;
  const std::string_view line{text, static_cast<std::size_t>(n)};
  const std::size_t slash = line.find('/'), space = line.rfind(' ', slash);
  if (slash == line.npos || space == line.npos) return unknown;
  const auto running = number_from<unsigned>(line.substr(space + 1, slash - space - 1));
  if (!running) return unknown;
  static const long processors = sysconf(_SC_NPROCESSORS_ONLN);  // reads a file, too
  return processors > long{*running} ? static_cast<unsigned>(processors) - *running : 0;
}

/// Closes a pool at exit, or when the library is unloaded.
struct closing_guard {
  thread_pool& pool;
  ~closing_guard() { pool.close(); }
};

/// Tells the processor that this thread waits in a loop.
void pause() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#else
  std::this_thread::yield();
#endif
}

}  // namespace

thread_pool& thread_pool::shared() {
  // Not by a static object's guard: a child forked during construction would wait for it for ever.
  static constinit std::atomic<thread_pool*> pool = nullptr;
  static auto& making = *std::make_unique<fork_safe_mutex>().release();
  if (thread_pool* const existing = pool) return *existing;
  const std::lock_guard held{making};
  if (pool == nullptr) pool = make_shared_pool().release();
  static const closing_guard guard{*pool};
  return *pool;
}

/// The state of a round in one number: the round, whether it still admits workers, and how many are
/// working. A worker that wakes up when no tasks are left finds the gate shut, so the caller never
/// waits for workers that have not begun.
namespace gate {
constexpr std::uint64_t open = std::uint64_t{1} << 31;
constexpr std::uint64_t inside = open - 1;

constexpr std::uint64_t opened(std::uint32_t round) {
  return std::uint64_t{round} << 32 | open;
}
constexpr bool takes(std::uint64_t state, std::uint32_t round) {
  return (state & ~inside) == opened(round);
}
}  // namespace gate

thread_pool::thread_pool(unsigned n_threads, bool waits_awake, bool only_idle)
    : waits_awake_(waits_awake),
      only_idle_(only_idle),
      process_(getpid()),
      seats_(std::max(n_threads, 1U) - 1) {
  try {
    for (; n_threads_ < n_threads; ++n_threads_) {
      seats_[n_threads_ - 1].worker = std::thread{[this, slot = n_threads_] { work(slot); }};
    }
  } catch (const std::system_error&) {
    // The system has no more threads: the existing ones do the work.
  }
}

thread_pool::~thread_pool() {
  close();
  for (seat& each : seats_) {
    if (each.worker.joinable()) each.worker.detach();  // after a fork, workers stay with the parent
  }
}

void thread_pool::close() noexcept {
  if (getpid() != process_) return;
  const std::unique_lock mine{in_use_, std::try_to_lock};
  if (!mine) return;
  is_closing_ = true;
  for (seat& each : seats_) {
    if (!each.worker.joinable()) continue;
    each.round.store(round_ + 1);
    each.round.notify_one();
    each.worker.join();
  }
}

void thread_pool::run(std::size_t n_tasks, unsigned n_threads, task each) {
  auto n_used = static_cast<unsigned>(
      std::min<std::size_t>({n_tasks, n_threads, n_threads_, thread_limit::current()}));
  if (only_idle_ && n_used > 1) n_used = std::min(n_used, 1 + idle_processors());
  std::unique_lock mine{in_use_, std::defer_lock};
  if (n_used <= 1 || getpid() != process_ || !mine.try_lock() || is_closing_) {
    for (std::size_t i = 0; i < n_tasks; ++i) each(i, 0);
    return;
  }
  each_ = &each;
  n_tasks_ = n_tasks;
  next_.store(0, std::memory_order_relaxed);
  failure_ = nullptr;
  const std::uint32_t round = ++round_, last_finished = finished_.load();
  gate_.store(gate::opened(round), std::memory_order_release);
  for (unsigned slot = 1; slot < n_used; ++slot) {
    seats_[slot - 1].round.store(round);  // sequentially consistent: `notify_one` looks for
                                          // sleepers
    seats_[slot - 1].round.notify_one();
  }
  drain(0);
  const std::uint64_t state = gate_.fetch_and(~gate::open, std::memory_order_acq_rel);
  if ((state & gate::inside) > 0) await_change(finished_, last_finished);
  if (failure_) std::rethrow_exception(failure_);
}

bool thread_pool::enter(std::uint32_t round) noexcept {
  std::uint64_t state = gate_.load(std::memory_order_acquire);
  while (gate::takes(state, round)) {
    if (gate_.compare_exchange_weak(state, state + 1, std::memory_order_acq_rel)) return true;
  }
  return false;
}

void thread_pool::leave(std::uint32_t round) noexcept {
  const std::uint64_t before = gate_.fetch_sub(1, std::memory_order_acq_rel);
  if ((before & gate::open) != 0 || (before & gate::inside) > 1) return;
  finished_.store(round);
  finished_.notify_one();
}

void thread_pool::work(unsigned slot) {
  const std::atomic<std::uint32_t>& wanted = seats_[slot - 1].round;
  for (std::uint32_t seen = 0;;) {
    await_change(wanted, seen);
    seen = wanted.load();  // read first: a later value could be the closing round
    if (is_closing_) return;
    if (!enter(seen)) continue;
    drain(slot);
    leave(seen);
  }
}

void thread_pool::await_change(const std::atomic<std::uint32_t>& counter,
                               std::uint32_t seen) const noexcept {
  using clock = std::chrono::steady_clock;
  constexpr int looks_between_clocks = 16;
  if (waits_awake_) {
    const auto end = clock::now() + limits.wait_awake;
    do {
      for (int i = 0; i < looks_between_clocks; ++i) {
        if (counter.load(std::memory_order_acquire) != seen) return;
        pause();
      }
    } while (clock::now() < end);
  }
  while (counter.load(std::memory_order_acquire) == seen)
    counter.wait(seen, std::memory_order_acquire);
}

void thread_pool::drain(unsigned slot) noexcept {
  try {
    for (std::size_t i = next_++; i < n_tasks_; i = next_++) (*each_)(i, slot);
  } catch (...) {
    next_ = n_tasks_;  // stops the other threads
    const std::lock_guard held{failing_};
    if (!failure_) failure_ = std::current_exception();
  }
}

}  // namespace wingbeat::backend::host
