// SPDX-License-Identifier: Apache-2.0
#include "system/work_timer.hpp"

#include <pthread.h>  // pthread_sigmask
#include <signal.h>   // sigfillset

#include <exception>
#include <utility>  // move

namespace wingbeat {
namespace {

using clock = std::chrono::steady_clock;

/// Starts a thread that no signal interrupts, because signals are for the command itself.
template <class Work>
std::thread thread_without_signals(Work work) {
  sigset_t signals, before;
  sigfillset(&signals);
  pthread_sigmask(SIG_SETMASK, &signals, &before);
  std::thread started;
  try {
    started = std::thread{work};
  } catch (const std::exception&) {
    // Without a thread, nothing is shown.
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return started;
}

}  // namespace

work_timer::work_timer(std::function<void(double)> tell, std::chrono::milliseconds first,
                       std::chrono::milliseconds interval)
    : tell_(std::move(tell)), first_(first), interval_(interval) {}

work_timer::~work_timer() {
  {
    const std::lock_guard lock{mutex_};
    is_ending_ = true;
    changed_.notify_all();
  }
  if (watcher_.joinable()) watcher_.join();
}

void work_timer::begin() noexcept {
  const std::lock_guard lock{mutex_};
  ++n_running_;
  if (!watcher_.joinable()) watcher_ = thread_without_signals([this] { watch(); });
  changed_.notify_all();
}

void work_timer::end() noexcept {
  const std::lock_guard lock{mutex_};
  --n_running_;
  changed_.notify_all();
}

void work_timer::watch() {
  std::unique_lock lock{mutex_};
  clock::duration elapsed{0}, shown_at = first_;
  while (!is_ending_) {
    if (n_running_ == 0) {
      changed_.wait(lock, [this] { return is_ending_ || n_running_ > 0; });
      continue;
    }
    const auto begin = clock::now();
    changed_.wait_for(lock, shown_at - elapsed, [this] { return is_ending_ || n_running_ == 0; });
    elapsed += clock::now() - begin;
    if (elapsed < shown_at || is_ending_) continue;
    shown_at = elapsed + interval_;
    lock.unlock();  // `tell` may wait for threads that begin or end work
    tell_(std::chrono::duration<double>(elapsed).count());
    lock.lock();
  }
}

}  // namespace wingbeat
