// SPDX-License-Identifier: Apache-2.0
// A mutex that a child finds free after fork(), whatever other threads of its parent did.
#pragma once

#include <mutex>

namespace wingbeat {

/// Held by the thread that forks while it forks, so that what the mutex guards is whole in the
/// child. For short sections alone, because fork() waits for them: a section neither runs code of
/// users, nor waits for another lock, nor makes or destroys one of these.
class fork_safe_mutex {
 public:
  fork_safe_mutex();
  ~fork_safe_mutex();
  fork_safe_mutex(const fork_safe_mutex&) = delete;
  fork_safe_mutex& operator=(const fork_safe_mutex&) = delete;

  void lock() { mutex_.lock(); }
  void unlock() { mutex_.unlock(); }

 private:
  std::mutex mutex_;
};

}  // namespace wingbeat
