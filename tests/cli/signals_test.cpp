// SPDX-License-Identifier: Apache-2.0
// Label: cli
// Timeout: 300
// Signals that end the program in the middle of an output: the process ends by them, the old file
// stays, and nothing else is left in the folder.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>  // setrlimit

#include <atomic>
#include <csignal>
#include <filesystem>
#include <future>  // async
#include <string>

#include "cli/program.hpp"  // workplace
#include "cli/signals.hpp"  // remove_temporary_files_on_signals

namespace {

namespace fs = std::filesystem;
using namespace wingbeat;
using namespace wingbeat::test;
using ::testing::HasSubstr;

class signals : public ::testing::TestWithParam<int> {
 protected:
  signals() {
    // Text of 2^20 bins takes the program long enough to be met while it writes.
    std::string impulse = "1\n";
    for (int i = 1; i < 1 << 20; ++i) impulse += "0\n";
    at_.file("in.txt", impulse);
    at_.file("out.txt", "old");
  }

  [[nodiscard]] bool has_temporary_file() const {
    for (const auto& entry : fs::directory_iterator(at_.folder().path())) {
      if (entry.path().string().find("out.txt.tmp-") != std::string::npos) return true;
    }
    return false;
  }

  /// Runs a transform and sends it `number` once its temporary file is there.
  [[nodiscard]] finished interrupted_by(int number) const {
    const pid_t process = at_.start(
        {"transform", "in.txt", "--engine", "host", "--precision", "fp64", "--output", "out.txt"});
    std::atomic<bool> has_ended = false;
    auto killer = std::async(std::launch::async, [&] {
      while (!has_ended && !has_temporary_file()) ::usleep(200);
      if (!has_ended) ::kill(process, number);
    });
    siginfo_t ended = {};
    ::waitid(P_PID, static_cast<id_t>(process), &ended, WEXITED | WNOWAIT);  // leaves the id taken
    has_ended = true;
    killer.get();
    return at_.wait(process);
  }

  workplace at_;
};

TEST_P(signals, leave_no_temporary_file) {
  finished run;
  // A machine that stalls this process may let the program finish first: then once more.
  for (int attempt = 0; attempt < 5; ++attempt) {
    run = interrupted_by(GetParam());
    if (run.code != 0) break;
    at_.file("out.txt", "old");
  }
  EXPECT_EQ(run.code, 1000 + GetParam()) << run.err;
  EXPECT_EQ(at_.folder().read("out.txt"), "old");
  EXPECT_EQ(at_.folder().n_files(), 2);
}

INSTANTIATE_TEST_SUITE_P(each, signals, ::testing::Values(SIGHUP, SIGINT, SIGTERM));

// NVRTC does so while it compiles: a handler that counted on SA_RESETHAND ran for ever.
TEST(handler, ends_the_process_when_a_library_put_it_back_without_flags) {
  EXPECT_EXIT(
      {
        cli::remove_temporary_files_on_signals();
        std::signal(SIGTERM, std::signal(SIGTERM, SIG_DFL));
        ::alarm(10);
        std::raise(SIGTERM);
      },
      ::testing::KilledBySignal(SIGTERM), "");
}

using size_limit = signals;

TEST_F(size_limit, is_an_error_of_the_output) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small{1 << 21, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);  // the program inherits it
  const finished run = at_.run({"transform", "in.txt", "--engine", "host", "--output", "out.txt"});
  ::setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_EQ(run.code, 4) << run.err;
  EXPECT_THAT(run.err, HasSubstr("wingbeat: out.txt cannot be written: File too large; choose"));
  EXPECT_EQ(at_.folder().read("out.txt"), "old");
  EXPECT_EQ(at_.folder().n_files(), 2);
}

using ignored_signal = signals;

// As `nohup` starts programs.
TEST_F(ignored_signal, stays_ignored) {
  const auto before = std::signal(SIGHUP, SIG_IGN);
  const finished run = interrupted_by(SIGHUP);
  std::signal(SIGHUP, before);
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_NE(at_.folder().read("out.txt"), "old");
  EXPECT_EQ(at_.folder().n_files(), 2);
}

TEST(output, through_a_link_or_pipe_keeps_it) {
  const workplace place;
  place.file("in.txt", "1\n0\n");
  fs::create_symlink("far.txt", place.folder().path() / "link.txt");
  EXPECT_EQ(place.run({"transform", "in.txt", "--output", "link.txt"}).code, 0);
  EXPECT_TRUE(fs::is_symlink(place.folder().path() / "link.txt"));
  EXPECT_EQ(place.folder().read("far.txt"), "1 0\n1 0\n");

  fs::create_symlink("/dev/stdout", place.folder().path() / "printed.txt");
  const finished run = place.run({"transform", "in.txt", "--output", "printed.txt"});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("1 0\n1 0\n"));
  EXPECT_TRUE(fs::is_symlink(place.folder().path() / "printed.txt"));
}

}  // namespace
