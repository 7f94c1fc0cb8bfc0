// SPDX-License-Identifier: Apache-2.0
#include "cli/compile_progress.hpp"

#include <pthread.h>  // pthread_sigmask
#include <signal.h>   // sigfillset
#include <unistd.h>   // isatty

#include <exception>

#include "cli/messages.hpp"  // print_message

namespace wingbeat::cli {
namespace {

using clock = std::chrono::steady_clock;

/// Starts a thread that no signal interrupts: those are for the command's own.
template <class Work>
std::thread thread_without_signals(Work work) {
  sigset_t signals, before;
  sigfillset(&signals);
  pthread_sigmask(SIG_SETMASK, &signals, &before);
  std::thread started;
  try {
    started = std::thread{work};
  } catch (const std::exception&) {
    // Nothing is shown then.
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return started;
}

}  // namespace

compile_progress::compile_progress(std::chrono::milliseconds first,
                                   std::chrono::milliseconds interval)
    : first_(first), interval_(interval) {
  backend::observe_compilations(this);
}

compile_progress::~compile_progress() {
  backend::observe_compilations(nullptr);
  {
    const std::lock_guard lock{mutex_};
    is_ending_ = true;
    changed_.notify_all();
  }
  if (watcher_.joinable()) watcher_.join();
}

void compile_progress::begin() noexcept {
  const std::lock_guard lock{mutex_};
  ++n_running_;
  if (!watcher_.joinable()) watcher_ = thread_without_signals([this] { watch(); });
  changed_.notify_all();
}

void compile_progress::end() noexcept {
  const std::lock_guard lock{mutex_};
  --n_running_;
  changed_.notify_all();
}

void compile_progress::watch() {
  std::unique_lock lock{mutex_};
  clock::duration compiled{0}, shown_at = first_;
  while (!is_ending_) {
    if (n_running_ == 0) {
      changed_.wait(lock, [this] { return is_ending_ || n_running_ > 0; });
      continue;
    }
    const auto begin = clock::now();
    changed_.wait_for(lock, shown_at - compiled, [this] { return is_ending_ || n_running_ == 0; });
    compiled += clock::now() - begin;
    if (compiled < shown_at || is_ending_) continue;
    shown_at = compiled + interval_;
    if (isatty(STDERR_FILENO) == 1) backend::write_message("\r\x1b[K");  // of a progress bar
    print_message("compiling kernels, {:.0f} s so far; the first run on a device takes longest",
                  std::chrono::duration<double>(compiled).count());
  }
}

}  // namespace wingbeat::cli
