// SPDX-License-Identifier: Apache-2.0
// A mutex that a child finds free after fork(), whatever other threads of its parent did.
#pragma once

#include <mutex>

namespace wingbeat {

/// A thread that forks holds it during the fork, so that the child finds consistent what it guards.
/// For short sections only, because fork() waits for them: a section must not run code of users,
/// wait for another lock, or make or destroy such a mutex.
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
