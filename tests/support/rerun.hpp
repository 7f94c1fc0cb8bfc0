// SPDX-License-Identifier: Apache-2.0
// A test program that runs itself again, to see how a process ends: what static objects do after
// main, for which a forked child is no model.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>  // waitpid
#include <unistd.h>    // alarm, execl, fork, _exit

#include <cstdlib>  // getenv, setenv
#include <string>
#include <utility>  // pair
#include <vector>

namespace wingbeat::test {

using environment = std::vector<std::pair<std::string, std::string>>;

/// Returns the mode this process was started in by `exit_code_of_rerun`; empty in the first one.
inline std::string rerun_mode() {
  const char* const mode = std::getenv("WINGBEAT_RERUN");
  return mode == nullptr ? "" : mode;
}

/// Runs the test `rerun.body` of this program in a process of its own that knows its mode. Returns
/// its exit code, or minus the signal that ended it; after a minute that is SIGALRM.
inline int exit_code_of_rerun(const std::string& mode, const environment& more = {}) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::setenv("WINGBEAT_RERUN", mode.c_str(), 1);
    for (const auto& [name, value] : more) ::setenv(name.c_str(), value.c_str(), 1);
    ::alarm(60);
    ::execl("/proc/self/exe", "rerun", "--gtest_filter=rerun.body", "--gtest_brief=1", nullptr);
    ::_exit(97);
  }
  int status = 0;
  if (::waitpid(child, &status, 0) != child) return 98;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

}  // namespace wingbeat::test
