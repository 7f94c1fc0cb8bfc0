// SPDX-License-Identifier: Apache-2.0
// Runs a program: text in, bytes out, no shell and no file on disk.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace wingbeat::backend::opencl {

struct finished_process {
  int exit_code = 0;     ///< 128 plus the signal if one ended it.
  std::string output;    ///< Its stdout.
  std::string messages;  ///< Its stderr.
};

/// Returns the path of an executable: `name` itself if it holds a slash, or found on $PATH, where
/// relative folders do not count and no PATH counts as /usr/bin:/bin; empty if there is none.
[[nodiscard]] std::string find_executable(const std::string& name);

/// Returns $PATH for messages: its text in quotes, "empty" or "not set".
[[nodiscard]] std::string described_path();

/// Returns whether this process ignores SIGCHLD (or has set SA_NOCLDWAIT): the system then keeps
/// no exit code of its children.
[[nodiscard]] bool loses_children() noexcept;

/// Runs `command` (its first word a path) with `input` on stdin and waits for it, regardless of how
/// this process handles SIGCHLD and which children it reaps. Changes no handler. Throws
/// `device_error` if it cannot be started.
[[nodiscard]] finished_process run(const std::vector<std::string>& command, std::string_view input);

}  // namespace wingbeat::backend::opencl
