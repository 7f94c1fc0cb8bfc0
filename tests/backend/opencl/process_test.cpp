// SPDX-License-Identifier: Apache-2.0
// Programs run with text in and bytes out, however they end.
#include "backend/opencl/process.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>  // chdir, close

#include <atomic>
#include <csignal>
#include <cstdlib>  // setenv
#include <thread>

#include "support/child.hpp"   // start_child, exit_code_of
#include "support/folder.hpp"  // folder, set_content
#include "wingbeat/error.hpp"  // device_error

namespace {

using ::testing::HasSubstr;
using namespace wingbeat::test;
using namespace wingbeat::backend::opencl;

void set_script(const std::filesystem::path& file, std::string_view text) {
  set_content(file, text);
  std::filesystem::permissions(file, std::filesystem::perms::owner_all);
}

TEST(process, carries_text_in_and_bytes_out) {
  std::string all_bytes;
  for (int i = 0; i < 256; ++i) all_bytes += static_cast<char>(i);
  const auto done = run({"/bin/cat"}, all_bytes);
  EXPECT_EQ(done.exit_code, 0);
  EXPECT_EQ(done.output, all_bytes);
  EXPECT_EQ(done.messages, "");
}

// More than any pipe holds, both ways at once.
TEST(process, does_not_stall_on_much_text) {
  const std::string text(5'000'000, 'x');
  EXPECT_EQ(run({"/bin/cat"}, text).output, text);
  EXPECT_EQ(run({"/bin/true"}, text).exit_code, 0) << "the child never reads its input";
}

TEST(process, tells_how_the_program_ended) {
  EXPECT_EQ(run({"/bin/sh", "-c", "exit 3"}, "").exit_code, 3);
  EXPECT_EQ(run({"/bin/sh", "-c", "kill -9 $$"}, "").exit_code, 128 + SIGKILL);
  EXPECT_EQ(run({"/bin/sh", "-c", "echo no >&2"}, "").messages, "no\n");
}

TEST(process, passes_arguments_as_they_are) {
  const auto done = run({"/bin/echo", "a b", "$HOME", "'"}, "");
  EXPECT_EQ(done.output, "a b $HOME '\n");
}

TEST(process, refuses_a_program_that_cannot_start) {
  const folder directory;
  set_content(directory / "text", "text");
  EXPECT_THROW((void)run({(directory / "absent").string()}, ""), wingbeat::device_error);
  EXPECT_THROW((void)run({(directory / "text").string()}, ""), wingbeat::device_error);
}

TEST(process, works_in_a_program_that_closed_its_own_streams) {
  const pid_t child = start_child([] {
    for (const int stream : {0, 1, 2}) ::close(stream);
    const auto done = run({"/bin/sh", "-c", "cat; echo no >&2"}, "text");
    return done.output == "text" && done.messages == "no\n" ? 0 : 1;
  });
  EXPECT_EQ(exit_code_of(child), 0);
}

bool ends_as_it_should() {
  const auto finished = run({"/bin/sh", "-c", "cat; exit 3"}, "text");
  return finished.exit_code == 3 && finished.output == "text" &&
         run({"/bin/true"}, "").exit_code == 0;
}

struct sigaction current_handling() {
  struct sigaction current {};
  ::sigaction(SIGCHLD, nullptr, &current);
  return current;
}

TEST(process, works_in_a_program_that_ignores_its_children) {
  const pid_t child = start_child([] {
    std::signal(SIGCHLD, SIG_IGN);
    for (int i = 0; i < 20; ++i) {
      if (!ends_as_it_should()) return 1;
    }
    if (current_handling().sa_handler != SIG_IGN) return 2;
    struct sigaction discards {};
    discards.sa_handler = SIG_DFL;
    discards.sa_flags = SA_NOCLDWAIT;
    ::sigaction(SIGCHLD, &discards, nullptr);
    if (!ends_as_it_should()) return 3;
    return current_handling().sa_flags & SA_NOCLDWAIT ? 0 : 4;
  });
  EXPECT_EQ(exit_code_of(child), 0);
}

std::atomic<int> n_signals = 0, n_strangers = 0;

void reap_any(int) {
  ++n_signals;
  while (::waitpid(-1, nullptr, WNOHANG) > 0) ++n_strangers;
}

TEST(process, works_beside_a_handler_that_reaps_any_child_and_leaves_it_alone) {
  const pid_t child = start_child([] {
    std::signal(SIGCHLD, reap_any);
    for (int i = 0; i < 20; ++i) {
      if (!ends_as_it_should()) return 1;
    }
    if (current_handling().sa_handler != reap_any) return 2;
    if (n_signals != 0 || n_strangers != 0) return 3;
    sigset_t blocked;
    ::pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
    if (::sigismember(&blocked, SIGTERM) != 0) return 4;
    return run({"/bin/sh", "-c", "kill -15 $$"}, "").exit_code == 128 + SIGTERM ? 0 : 5;
  });
  EXPECT_EQ(exit_code_of(child), 0);
}

TEST(process, works_beside_a_thread_that_reaps_any_child) {
  const pid_t child = start_child([] {
    std::atomic<bool> is_done = false;
    std::thread reaper{[&] {
      while (!is_done) {
        if (::waitpid(-1, nullptr, 0) < 0) std::this_thread::yield();
      }
    }};
    int n_wrong = 0;
    for (int i = 0; i < 20; ++i) n_wrong += ends_as_it_should() ? 0 : 1;
    is_done = true;
    reaper.join();
    return n_wrong;
  });
  EXPECT_EQ(exit_code_of(child), 0);
}

TEST(process, runs_from_many_threads_and_leaves_no_file_open) {
  const auto n_open = [] {
    return std::distance(std::filesystem::directory_iterator{"/proc/self/fd"}, {});
  };
  const auto before = n_open();
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([t] {
      const std::string text(1000 + t, static_cast<char>('a' + t));
      for (int i = 0; i < 10; ++i) EXPECT_EQ(run({"/bin/cat"}, text).output, text);
    });
  }
  for (auto& each : threads) each.join();
  EXPECT_EQ(n_open(), before);
}

TEST(process, finds_programs_on_the_path_only) {
  const folder directory;
  std::filesystem::create_directories(directory / "bin/tool-c");  // a folder is no program
  set_script(directory / "bin/tool-a", "#!/bin/sh\n");
  set_content(directory / "bin/tool-b", "not executable");
  set_script(directory / "tool-d", "#!/bin/sh\n");
  const std::string bin = (directory / "bin").string();
  const pid_t child = start_child([&] {
    if (::chdir(directory.path().c_str()) != 0) return 1;
    ::setenv("PATH", ("/nowhere::bin:.:" + bin).c_str(), 1);
    if (find_executable("tool-a") != bin + "/tool-a") return 2;
    for (const char* name : {"tool-b", "tool-c", "tool-d", "tool-e", ""}) {
      if (!find_executable(name).empty()) return 3;
    }
    if (find_executable(bin + "/tool-a") != bin + "/tool-a") return 4;
    ::setenv("PATH", "", 1);
    if (!find_executable("tool-a").empty()) return 5;
    ::unsetenv("PATH");
    return find_executable("sh").ends_with("bin/sh") && find_executable("tool-a").empty() ? 0 : 6;
  });
  EXPECT_EQ(exit_code_of(child), 0);
}

}  // namespace
