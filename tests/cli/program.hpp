// SPDX-License-Identifier: Apache-2.0
// Runs the program as a user would, and keeps what it said.
#pragma once

#include <fcntl.h>  // O_CREAT
#include <gtest/gtest.h>
#include <spawn.h>         // posix_spawn
#include <sys/resource.h>  // rusage
#include <sys/wait.h>      // wait4
#include <unistd.h>        // close, pipe2, read

#include <algorithm>  // count
#include <cstdlib>    // posix_openpt, ptsname
#include <filesystem>
#include <iterator>  // istreambuf_iterator, ssize
#include <nlohmann/json.hpp>
#include <stdexcept>  // runtime_error
#include <string>
#include <string_view>
#include <vector>

#include "formats/temporary_folder.hpp"  // temporary_folder

namespace wingbeat::test {

/// What one run left behind.
struct finished {
  int code = -1;  ///< Exit code; 1000 + the signal if one ended the program.
  std::string out, err;
  std::size_t peak_bytes = 0;  ///< The most memory that it had.
};

/// A folder of its own in which the program runs.
class workplace {
 public:
  [[nodiscard]] const temporary_folder& folder() const { return folder_; }

  /// Writes a file into the folder; its name alone is then what the program is given.
  std::string file(const std::string& name, std::string_view content) const {
    folder_.write(name, content);
    return name;
  }

  /// Runs `wingbeat arguments...` in the folder.
  [[nodiscard]] finished run(const std::vector<std::string>& arguments) const {
    return wait(start(arguments));
  }

  /// Runs `wingbeat arguments...` with stderr on a terminal, and returns what that was sent.
  [[nodiscard]] finished run_on_terminal(const std::vector<std::string>& arguments) const {
    const int terminal = ::posix_openpt(O_RDWR | O_NOCTTY);
    if (terminal < 0 || ::grantpt(terminal) != 0 || ::unlockpt(terminal) != 0) {
      throw std::runtime_error("no terminal can be had");
    }
    const std::string name = ::ptsname(terminal);
    const int held = ::open(name.c_str(), O_RDWR | O_NOCTTY);  // until the program has it
    const pid_t process = start(arguments, name);
    ::close(held);
    std::string shown;
    char bytes[4096];
    for (;;) {
      const auto count = ::read(terminal, bytes, sizeof bytes);
      if (count <= 0) break;  // EIO: the program has ended
      shown.append(bytes, static_cast<std::size_t>(count));
    }
    ::close(terminal);
    finished result = wait(process);
    result.err = shown;
    return result;
  }

  /// Starts `wingbeat arguments...` in the folder; `wait` must follow.
  [[nodiscard]] pid_t start(const std::vector<std::string>& arguments) const {
    return start(arguments, (output_.path() / "err").string());
  }
  [[nodiscard]] pid_t start(const std::vector<std::string>& arguments,
                            const std::string& err) const {
    const std::string out = (output_.path() / "out").string();
    std::vector<std::string> words{WINGBEAT_PROGRAM};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);

    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addchdir_np(&actions, folder_.path().c_str());
    constexpr int flags = O_WRONLY | O_CREAT | O_TRUNC;
    posix_spawn_file_actions_addopen(&actions, 1, out.c_str(), flags, 0600);
    posix_spawn_file_actions_addopen(&actions, 2, err.c_str(), flags, 0600);
    pid_t process = 0;
    const int fault =
        posix_spawn(&process, WINGBEAT_PROGRAM, &actions, nullptr, pointers.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (fault != 0) throw std::runtime_error("cannot start " WINGBEAT_PROGRAM);
    return process;
  }

  [[nodiscard]] finished wait(pid_t process) const {
    int status = 0;
    struct rusage used = {};
    wait4(process, &status, 0, &used);  // ru_maxrss counts KiB
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status), output_.read("out"),
            output_.read("err"), static_cast<std::size_t>(used.ru_maxrss) * 1024};
  }

 private:
  temporary_folder folder_, output_;
};

/// Runs the program with a pipe for stdin, which holds the content: 64 KiB at most.
inline finished run_with_stdin(const workplace& place, const std::vector<std::string>& arguments,
                               std::string_view content) {
  int pipe[2];
  if (::pipe2(pipe, O_CLOEXEC) != 0) throw std::runtime_error("no pipe can be had");
  const auto count = ::write(pipe[1], content.data(), content.size());
  ::close(pipe[1]);
  const int held = ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
  ::dup2(pipe[0], STDIN_FILENO);
  ::close(pipe[0]);
  finished result = place.run(arguments);
  ::dup2(held, STDIN_FILENO);
  ::close(held);
  EXPECT_EQ(count, std::ssize(content));
  return result;
}

/// Parses stdout; a failure to parse fails the test.
inline nlohmann::json json_of(const finished& run) {
  EXPECT_TRUE(nlohmann::json::accept(run.out)) << run.out << run.err;
  return nlohmann::json::parse(run.out, nullptr, /*allow_exceptions=*/false);
}

inline std::size_t n_lines(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

}  // namespace wingbeat::test
