// SPDX-License-Identifier: Apache-2.0
// Label: opencl
// Timeout: 300
// What is queued when the program ends, and processes that ignore or reap children. Each case has
// an empty cache of PoCL's own, so that kernels are compiled while the program ends.
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <cstring>  // strstr
#include <thread>

#include "support/exit_work.hpp"  // exit_work, static_object
#include "support/folder.hpp"     // folder
#include "support/full_run.hpp"   // is_full_run
#include "support/rerun.hpp"      // exit_code_of_rerun, rerun_mode

namespace {

using namespace wingbeat;
using namespace wingbeat::test;

constexpr std::size_t length = 256;
constexpr std::size_t long_length = 1 << 20;  // several kernels

// The driver is loaded before this object is complete, and is there when it is destroyed.
struct early_object : static_object {
  early_object() {
    if (!rerun_mode().starts_with("early")) return;
    work = std::make_unique<exit_work>(engine::opencl, length);
    if (rerun_mode() == "early_run") at_exit = [](static_object& self) { self.work->run(); };
    if (rerun_mode() == "early_queue") at_exit = [](static_object& self) { self.work->enqueue(); };
  }
} early;

// Constructed before the driver is loaded: destroyed after the driver's own objects.
static_object last;

[[noreturn]] void end_with(bool is_good) {
  ::_exit(is_good ? 0 : 1);
}

/// Expects a refusal that holds a clause.
template <class Work>
void expect_refused(const Work& work, const char* clause) {
  try {
    work();
  } catch (const device_error& refused) {
    if (std::strstr(refused.what(), clause) == nullptr)
      std::fprintf(stderr, "%s\n", refused.what());
    end_with(std::strstr(refused.what(), clause) != nullptr);
  }
  end_with(false);
}

void run_in_a_changed_process(const std::string& mode, exit_work& work) {
  if (mode == "ignore_after") {
    work.run();
    std::signal(SIGCHLD, SIG_IGN);
    work.run();
  } else if (mode == "ignore") {
    std::signal(SIGCHLD, SIG_IGN);
    exit_work planned{engine::opencl, length / 2};  // clang runs
    expect_refused([&] { planned.enqueue(); }, "while this process ignores SIGCHLD");
  } else if (mode == "fork") {
    work.run();
    const pid_t child = ::fork();
    if (child == 0) expect_refused([&] { work.enqueue(); }, "in a forked child");
    int status = 0;
    end_with(::waitpid(child, &status, 0) == child && status == 0);
  }
}

TEST(rerun, body) {
  const std::string mode = rerun_mode();
  if (mode.empty()) GTEST_SKIP() << "the body of the programs that the others start";
  if (mode == "early_queue" || mode == "early_run") {
    early.work->enqueue();
    return;
  }
  auto work = std::make_unique<exit_work>(engine::opencl, length);
  if (mode == "queued" || mode == "queued_late") work->enqueue();
  if (mode == "queued") last.work = std::move(work);
  if (mode == "queued_late") {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));  // in the middle of compiling
    last.work = std::move(work);
  } else if (mode == "queued_in_later_object") {
    static static_object later;
    later.work = std::make_unique<exit_work>(engine::opencl, long_length);
    later.work->enqueue();
  } else if (mode == "dropped") {
    work->enqueue();
    work.reset();
  } else if (mode == "refused") {
    last.work = std::move(work);
    last.at_exit = [](static_object& self) {
      expect_refused([&] { self.work->enqueue(); }, "at exit, after its driver was closed");
    };
  } else if (work) {
    run_in_a_changed_process(mode, *work);
  }
}

class opencl_exit : public ::testing::Test {
 protected:
  void SetUp() override {
    if (devices(engine::opencl).empty()) GTEST_SKIP() << why_absent(engine::opencl);
  }

  static void expect_a_good_end(const std::string& mode, int n_times = is_full_run() ? 2 : 1) {
    for (int i = 0; i < n_times; ++i) {
      const folder directory;
      EXPECT_EQ(exit_code_of_rerun(mode, {{"POCL_CACHE_DIR", (directory / "pocl").string()}}), 0)
          << mode;
    }
  }
};

TEST_F(opencl_exit, finishes_what_static_objects_have_queued) {
  expect_a_good_end("queued");
  expect_a_good_end("queued_late");
  expect_a_good_end("queued_in_later_object");
}

TEST_F(opencl_exit, finishes_what_a_queue_that_is_gone_had_queued) {
  expect_a_good_end("dropped");
}

TEST_F(opencl_exit, runs_in_the_destructor_of_an_object_that_opened_its_queue_itself) {
  expect_a_good_end("early_run");
  expect_a_good_end("early_queue");
}

TEST_F(opencl_exit, refuses_work_once_the_driver_is_closed) {
  expect_a_good_end("refused", 1);
}

TEST_F(opencl_exit, refuses_work_in_a_forked_child) {
  expect_a_good_end("fork", 1);
}

TEST_F(opencl_exit,
       plans_in_a_process_that_ignores_its_children_and_refuses_what_pocl_cannot_link) {
  if (first_device(engine::opencl).architecture != "pocl-cpu") GTEST_SKIP() << "not PoCL";
  expect_a_good_end("ignore", 1);
  expect_a_good_end("ignore_after", 1);
}

}  // namespace
