// SPDX-License-Identifier: Apache-2.0
#include "backend/opencl/process.hpp"

#include <fcntl.h>  // fcntl
#include <fmt/core.h>
#include <spawn.h>     // posix_spawn
#include <sys/mman.h>  // memfd_create
#include <sys/stat.h>  // stat
#include <sys/wait.h>  // waitpid
#include <unistd.h>    // access, read, write, lseek, environ

#include <algorithm>  // min
#include <cerrno>
#include <cstdlib>  // getenv
#include <cstring>  // strerror

#include "backend/file_descriptor.hpp"  // file_descriptor
#include "wingbeat/error.hpp"           // device_error

namespace wingbeat::backend::opencl {
namespace {

[[noreturn]] void fail(std::string_view doing, int reason) {
  throw device_error(fmt::format("cannot {}: {}", doing, std::strerror(reason)));
}

bool is_executable(const std::string& path) {
  struct stat seen {};
  return ::stat(path.c_str(), &seen) == 0 && S_ISREG(seen.st_mode) &&
         ::access(path.c_str(), X_OK) == 0;
}

// A file without a name, in memory: it needs no folder, cannot be tampered with, and is gone with
// the last process that holds it. Unlike a pipe it never makes both sides wait for each other.
file_descriptor file_with(std::string_view text) {
  const file_descriptor made{::memfd_create("wingbeat", MFD_CLOEXEC)};
  // Above stderr, whatever this process has closed: `redirections` overwrites 0, 1 and 2.
  file_descriptor file{::fcntl(made.get(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1)};
  if (!file.is_open()) fail("make a file in memory for a compiler", errno);
  while (!text.empty()) {
    const ssize_t n = ::write(file.get(), text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) fail("hand a kernel to its compiler", errno);
    text.remove_prefix(static_cast<std::size_t>(n));
  }
  ::lseek(file.get(), 0, SEEK_SET);
  return file;
}

std::string content_of(const file_descriptor& file) {
  ::lseek(file.get(), 0, SEEK_SET);
  std::string text;
  char part[16384];
  for (;;) {
    const ssize_t n = ::read(file.get(), part, sizeof part);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return text;
    text.append(part, static_cast<std::size_t>(n));
  }
}

// The three files become stdin, stdout and stderr of the child, which inherits nothing else.
class redirections {
 public:
  redirections(const file_descriptor& in, const file_descriptor& out, const file_descriptor& err) {
    ::posix_spawn_file_actions_init(&actions_);
    ::posix_spawn_file_actions_adddup2(&actions_, in.get(), STDIN_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions_, out.get(), STDOUT_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions_, err.get(), STDERR_FILENO);
  }
  ~redirections() { ::posix_spawn_file_actions_destroy(&actions_); }
  redirections(const redirections&) = delete;
  redirections& operator=(const redirections&) = delete;

  [[nodiscard]] const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_;
};

int exit_code_of(pid_t child, const std::string& path) {
  int state = 0;
  while (::waitpid(child, &state, 0) < 0) {
    if (errno != EINTR) fail("learn how " + path + " ended", errno);
  }
  return WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state);
}

}  // namespace

std::string find_executable(const std::string& name) {
  if (name.find('/') != std::string::npos) return is_executable(name) ? name : "";
  const char* const path = std::getenv("PATH");
  std::string_view folders = path == nullptr ? "/usr/bin:/bin" : path;
  while (!folders.empty()) {
    const std::string_view folder = folders.substr(0, folders.find(':'));
    folders.remove_prefix(std::min(folder.size() + 1, folders.size()));
    if (!folder.starts_with('/')) continue;  // never from whatever folder we are in
    const auto candidate = fmt::format("{}/{}", folder, name);
    if (is_executable(candidate)) return candidate;
  }
  return "";
}

finished_process run(const std::vector<std::string>& command, std::string_view input) {
  const file_descriptor in = file_with(input), out = file_with(""), err = file_with("");
  const redirections streams{in, out, err};
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);

  pid_t child = 0;
  const int refused =
      ::posix_spawn(&child, words[0], streams.get(), nullptr, words.data(), environ);
  if (refused != 0) fail("start " + command.front(), refused);
  const int exit_code = exit_code_of(child, command.front());
  return {exit_code, content_of(out), content_of(err)};
}

}  // namespace wingbeat::backend::opencl
