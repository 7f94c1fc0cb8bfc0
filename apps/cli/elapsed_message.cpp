// SPDX-License-Identifier: Apache-2.0
#include "cli/elapsed_message.hpp"

#include <pthread.h>  // pthread_sigmask
#include <signal.h>   // sigfillset
#include <unistd.h>   // isatty

#include <exception>
#include <utility>  // move

#include "backend/message.hpp"  // write_message
#include "cli/messages.hpp"     // print_message

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

elapsed_message::elapsed_message(std::string work, std::string remark,
                                 std::chrono::milliseconds first,
                                 std::chrono::milliseconds interval)
    : work_(std::move(work)), remark_(std::move(remark)), first_(first), interval_(interval) {}

elapsed_message::~elapsed_message() {
  {
    const std::lock_guard lock{mutex_};
    is_ending_ = true;
    changed_.notify_all();
  }
  if (watcher_.joinable()) watcher_.join();
}

void elapsed_message::begin() noexcept {
  const std::lock_guard lock{mutex_};
  ++n_running_;
  if (!watcher_.joinable()) watcher_ = thread_without_signals([this] { watch(); });
  changed_.notify_all();
}

void elapsed_message::end() noexcept {
  const std::lock_guard lock{mutex_};
  --n_running_;
  changed_.notify_all();
}

void elapsed_message::watch() {
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
    if (isatty(STDERR_FILENO) == 1) backend::write_message("\r\x1b[K");  // of a progress bar
    print_message("{}, {:.0f} s so far{}", work_, std::chrono::duration<double>(elapsed).count(),
                  remark_);
  }
}

}  // namespace wingbeat::cli
