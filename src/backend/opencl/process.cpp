// SPDX-License-Identifier: Apache-2.0
#include "backend/opencl/process.hpp"

#include <fcntl.h>     // fcntl
#include <sched.h>     // clone
#include <spawn.h>     // posix_spawn
#include <sys/mman.h>  // memfd_create
#include <sys/stat.h>  // stat
#include <sys/wait.h>  // waitpid
#include <unistd.h>    // access, read, write, lseek, environ

#include <algorithm>  // min
#include <cerrno>
#include <csignal>  // sigaction, pthread_sigmask
#include <cstddef>  // byte
#include <cstdlib>  // getenv
#include <cstring>  // strerror
#include <memory>   // make_unique
#include <optional>
#include <utility>  // move

#include "system/file_descriptor.hpp"  // file_descriptor
#include "text/formatted.hpp"          // formatted
#include "wingbeat/error.hpp"          // device_error

namespace wingbeat::backend::opencl {
namespace {

[[noreturn]] void fail(std::string_view doing, int reason) {
  throw device_error(formatted("cannot {}: {}", doing, std::strerror(reason)));
}

bool is_executable(const std::string& path) {
  struct stat seen {};
  return ::stat(path.c_str(), &seen) == 0 && S_ISREG(seen.st_mode) &&
         ::access(path.c_str(), X_OK) == 0;
}

// An unnamed file in memory needs no folder, cannot be tampered with, and disappears with the last
// process that holds it. Unlike a pipe, it cannot deadlock both sides.
file_descriptor file_with(std::string_view text) {
  const file_descriptor unnamed{::memfd_create("wingbeat", MFD_CLOEXEC)};
  // Takes a descriptor above stderr even if the process has closed lower ones, because
  // `redirections` overwrites 0, 1 and 2.
  file_descriptor file{::fcntl(unnamed.get(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1)};
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

/// The arguments of posix_spawn, and its result.
struct job {
  char* const* words = nullptr;
  const posix_spawn_file_actions_t* streams = nullptr;
  const posix_spawnattr_t* attributes = nullptr;
  int refusal = 0;           ///< The errno if it could not be started.
  std::optional<int> state;  ///< As waitpid reports it; empty if the exit code was lost.
};

void spawn_and_wait(job& work) noexcept {
  pid_t child = 0;
  work.refusal =
      ::posix_spawn(&child, work.words[0], work.streams, work.attributes, work.words, environ);
  if (work.refusal != 0) return;
  int state = 0;
  pid_t ended = -1;
  do {
    ended = ::waitpid(child, &state, 0);
  } while (ended < 0 && errno == EINTR);
  if (ended == child) work.state = state;
}

// The body of a process that shares our memory but not our signal handlers. The program is its
// child, so that no other thread can take the exit code.
int intermediate(void* work) noexcept {
  struct sigaction kept {};
  kept.sa_handler = SIG_DFL;
  ::sigaction(SIGCHLD, &kept, nullptr);
  spawn_and_wait(*static_cast<job*>(work));
  return 0;
}

class blocked_signals {
 public:
  blocked_signals() {
    sigset_t every_signal;
    ::sigfillset(&every_signal);
    ::pthread_sigmask(SIG_SETMASK, &every_signal, &before_);
  }
  ~blocked_signals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  blocked_signals(const blocked_signals&) = delete;
  blocked_signals& operator=(const blocked_signals&) = delete;

  [[nodiscard]] const sigset_t& before() const { return before_; }

 private:
  sigset_t before_{};
};

// The intermediate process has no exit signal, so no handler of this process is called for it, and
// waitpid for any child does not find it. This thread sleeps until it ends (CLONE_VFORK), because
// the two share thread-local storage.
void spawn_in_between(job& work) {
  constexpr std::size_t stack_bytes = 256 * 1024;
  const auto stack = std::make_unique<std::byte[]>(stack_bytes);
  const blocked_signals blocked;  // no handler may run in memory that is shared
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  ::posix_spawnattr_setsigmask(&attributes, &blocked.before());
  work.attributes = &attributes;
  const pid_t child =
      ::clone(intermediate, stack.get() + stack_bytes, CLONE_VM | CLONE_VFORK, &work);
  if (child < 0) work.refusal = errno;
  while (child > 0 && ::waitpid(child, nullptr, __WALL) < 0 && errno == EINTR) continue;
  ::posix_spawnattr_destroy(&attributes);
}

// Empty if the exit code was lost.
template <class Spawn>
std::optional<finished_process> attempt(const std::vector<std::string>& command,
                                        std::string_view input, const Spawn& spawn) {
  const file_descriptor in = file_with(input), out = file_with(""), err = file_with("");
  const redirections streams{in, out, err};
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);

  job work;
  work.words = words.data();
  work.streams = streams.get();
  spawn(work);
  if (work.refusal != 0) fail("start " + command.front(), work.refusal);
  if (!work.state) return std::nullopt;
  const int state = *work.state;
  return finished_process{WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state),
                          content_of(out), content_of(err)};
}

bool handles_children() noexcept {
  struct sigaction current {};
  ::sigaction(SIGCHLD, nullptr, &current);
  return current.sa_handler != SIG_DFL || (current.sa_flags & SA_NOCLDWAIT) != 0;
}

}  // namespace

std::string find_executable(const std::string& name) {
  if (name.find('/') != std::string::npos) return is_executable(name) ? name : "";
  const char* const path = std::getenv("PATH");
  std::string_view folders = path == nullptr ? "/usr/bin:/bin" : path;
  while (!folders.empty()) {
    const std::string_view folder = folders.substr(0, folders.find(':'));
    folders.remove_prefix(std::min(folder.size() + 1, folders.size()));
    if (!folder.starts_with('/')) continue;  // never relative to the current folder
    const auto candidate = formatted("{}/{}", folder, name);
    if (is_executable(candidate)) return candidate;
  }
  return "";
}

std::string described_path() {
  const char* const path = std::getenv("PATH");
  if (path == nullptr) return "not set";
  return *path == '\0' ? "empty" : formatted("'{}'", path);
}

bool loses_children() noexcept {
  struct sigaction current {};
  ::sigaction(SIGCHLD, nullptr, &current);
  return current.sa_handler == SIG_IGN || (current.sa_flags & SA_NOCLDWAIT) != 0;
}

finished_process run(const std::vector<std::string>& command, std::string_view input) {
  if (!handles_children()) {
    if (auto finished = attempt(command, input, spawn_and_wait)) return *std::move(finished);
    // Another thread, which waits for any child, reaped it.
  }
  if (auto finished = attempt(command, input, spawn_in_between)) return *std::move(finished);
  throw device_error(
      formatted("cannot learn how {} ended, because another part of this program took its exit "
                "code; let it wait for its own children only",
                command.front()));
}

}  // namespace wingbeat::backend::opencl
