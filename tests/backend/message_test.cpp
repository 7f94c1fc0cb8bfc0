// SPDX-License-Identifier: Apache-2.0
// Label: opencl
// A warning that cannot be written is lost, and nothing else is: neither the process nor its plan.
#include "backend/message.hpp"

#include <fcntl.h>  // open
#include <gtest/gtest.h>
#include <unistd.h>  // pipe, dup2, close

#include <array>
#include <cerrno>
#include <csignal>  // sigpending
#include <functional>
#include <string>

#include "support/child.hpp"   // start_child, exit_code_of
#include "support/folder.hpp"  // folder, set_content, content_of
#include "wingbeat/wingbeat.hpp"

namespace {

using namespace wingbeat;
using namespace wingbeat::test;
using wingbeat::backend::write_message;

void close_stderr() {
  ::close(STDERR_FILENO);
}
void fill_stderr() {
  ::dup2(::open("/dev/full", O_WRONLY), STDERR_FILENO);
}
void leave_stderr_without_reader() {
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) return;
  ::dup2(ends[1], STDERR_FILENO);
  ::close(ends[0]);
  ::close(ends[1]);
}
constexpr auto spoil = {&close_stderr, &fill_stderr, &leave_stderr_without_reader};

TEST(write_message, writes_the_text) {
  const folder directory;
  const std::string text(100000, 'x');
  const pid_t child = start_child([&] {
    ::dup2(::open((directory / "log").c_str(), O_WRONLY | O_CREAT, 0600), STDERR_FILENO);
    write_message(text);
    write_message("");
    write_message("end");
    return 0;
  });
  EXPECT_EQ(exit_code_of(child), 0);
  EXPECT_EQ(content_of(directory / "log"), text + "end");
}

TEST(write_message, goes_on_where_stderr_takes_nothing) {
  for (const auto spoiled : spoil) {
    const pid_t child = start_child([&] {
      spoiled();
      errno = EDOM;
      write_message("a message\n");
      sigset_t pending;
      ::sigpending(&pending);
      return errno == EDOM && ::sigismember(&pending, SIGPIPE) == 0 ? 0 : 1;
    });
    EXPECT_EQ(exit_code_of(child), 0);
  }
}

TEST(write_message, leaves_a_signal_that_waits_already) {
  const pid_t child = start_child([] {
    sigset_t pipe, pending;
    ::sigemptyset(&pipe);
    ::sigaddset(&pipe, SIGPIPE);
    ::sigprocmask(SIG_BLOCK, &pipe, nullptr);
    ::raise(SIGPIPE);
    leave_stderr_without_reader();
    write_message("a message\n");
    ::sigpending(&pending);
    return ::sigismember(&pending, SIGPIPE) == 1 ? 0 : 1;
  });
  EXPECT_EQ(exit_code_of(child), 0);
}

/// Transforms four ones on `device`, and returns whether the result is theirs.
bool transforms(const device_info& device) {
  queue on{device};
  const plan planned{on, {.lengths = {4}}};
  std::vector<float> x{1, 0, 1, 0, 1, 0, 1, 0};
  buffer in{on, 32}, out{on, 32};
  in.write(x.data(), 32);
  planned.enqueue(on, in.view(), out.view());
  out.read(x.data(), 32);
  return x == std::vector<float>{4, 0, 0, 0, 0, 0, 0, 0};
}

// The cache of kernels warns once that its directory is refused; a process has one such cache, so
// each case has a process.
TEST(write_message, costs_no_device_and_no_plan_where_the_cache_is_refused) {
  const folder directory;
  set_content(directory / "file", "not a directory");
  const auto plans = [&](const std::function<void()>& spoiled, const std::string& log) {
    return start_child([&directory, spoiled, log] {
      ::setenv("WINGBEAT_CACHE", (directory / "file").c_str(), 1);
      spoiled();
      int n_transformed = 0;
      for (const device_info& device : devices()) {
        if (device.runs_on != engine::opencl && device.runs_on != engine::cuda) continue;
        if (!transforms(device)) return 1;
        ++n_transformed;
      }
      set_content(directory / log, std::to_string(n_transformed));
      return 0;
    });
  };
  const auto to_file = [&] {
    ::dup2(::open((directory / "stderr").c_str(), O_WRONLY | O_CREAT, 0600), STDERR_FILENO);
  };
  ASSERT_EQ(exit_code_of(plans(to_file, "expected")), 0);
  if (content_of(directory / "expected") == "0") GTEST_SKIP() << "no device here compiles kernels";
  EXPECT_NE(content_of(directory / "stderr").find("is not a directory"), std::string::npos);
  for (const auto spoiled : spoil) {
    EXPECT_EQ(exit_code_of(plans(spoiled, "found")), 0);
    EXPECT_EQ(content_of(directory / "found"), content_of(directory / "expected")) << "devices";
    set_content(directory / "found", "");
  }
}

}  // namespace
