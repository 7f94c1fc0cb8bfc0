// SPDX-License-Identifier: Apache-2.0
// Work done in a process of its own: to be another user, to hit limits, to be killed.
#pragma once

#include <sys/wait.h>  // waitpid
#include <unistd.h>    // fork, _exit

#include <functional>

namespace wingbeat::test {

/// Starts `work` in a child process; its exit code is what `work` returns, 99 if it throws.
inline pid_t start_child(const std::function<int()>& work) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  int code = 99;
  try {
    code = work();
  } catch (...) {
  }
  ::_exit(code);
}

/// Waits for a child and returns its exit code, or minus the signal that ended it.
inline int exit_code_of(pid_t child) {
  int status = 0;
  if (::waitpid(child, &status, 0) != child) return 98;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

}  // namespace wingbeat::test
