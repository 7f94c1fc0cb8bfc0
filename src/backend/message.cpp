// SPDX-License-Identifier: Apache-2.0
#include "backend/message.hpp"

#include <pthread.h>  // pthread_sigmask
#include <unistd.h>   // write

#include <cerrno>
#include <csignal>  // sigset_t, sigpending, sigtimedwait

namespace wingbeat::backend {
namespace {

bool is_pending(int signal) noexcept {
  sigset_t pending;
  return ::sigpending(&pending) == 0 && ::sigismember(&pending, signal) == 1;
}

/// Prevents SIGPIPE from this thread's writes from ending the process, and restores the thread's
/// mask and pending signals.
class held_sigpipe {
 public:
  held_sigpipe() noexcept : was_pending_(is_pending(SIGPIPE)) {
    ::sigemptyset(&pipe_);
    ::sigaddset(&pipe_, SIGPIPE);
    is_held_ = ::pthread_sigmask(SIG_BLOCK, &pipe_, &previous_) == 0;
  }
  held_sigpipe(const held_sigpipe&) = delete;
  held_sigpipe& operator=(const held_sigpipe&) = delete;
  ~held_sigpipe() {
    if (!is_held_) return;
    constexpr timespec at_once{};
    if (!was_pending_ && is_pending(SIGPIPE)) ::sigtimedwait(&pipe_, nullptr, &at_once);
    ::pthread_sigmask(SIG_SETMASK, &previous_, nullptr);
  }

 private:
  bool was_pending_, is_held_ = false;
  sigset_t pipe_{}, previous_{};
};

}  // namespace

void write_message(std::string_view text) noexcept {
  const int caller_errno = errno;
  const held_sigpipe held;
  while (!text.empty()) {
    const ssize_t n = ::write(STDERR_FILENO, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    text.remove_prefix(static_cast<std::size_t>(n));
  }
  errno = caller_errno;
}

}  // namespace wingbeat::backend
