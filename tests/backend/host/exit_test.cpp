// SPDX-License-Identifier: Apache-2.0
// Transforms in the destructors of static objects, when the program ends, and in forked children.
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <thread>
#include <vector>

#include "support/child.hpp"      // start_child
#include "support/exit_work.hpp"  // exit_work, static_object
#include "support/rerun.hpp"      // exit_code_of_rerun, rerun_mode
#include "support/sanitizer.hpp"  // has_sanitizer

namespace {

using namespace wingbeat;
using namespace wingbeat::test;

// Constructed before, hence destroyed after, whatever the library makes when it is first used.
static_object early;

// "<when>:<engine>:<length>"
struct mode_parts {
  std::string when;
  engine runs_on;
  std::size_t length;
};

mode_parts parts_of(const std::string& mode) {
  const auto first = mode.find(':'), second = mode.find(':', first + 1);
  return {mode.substr(0, first), engine_named(mode.substr(first + 1, second - first - 1)),
          std::stoul(mode.substr(second + 1))};
}

std::unique_ptr<exit_work> work_of_mode() {
  const auto [when, runs_on, length] = parts_of(rerun_mode());
  return std::make_unique<exit_work>(runs_on, length);
}

void run_it(static_object& object) {
  if (!object.work) object.work = work_of_mode();
  object.work->run();
}

void plan_and_run(static_object& object) {
  object.work = work_of_mode();
  object.work->run();
}

TEST(rerun, body) {
  if (rerun_mode().empty()) GTEST_SKIP() << "the body of the programs that the others start";
  const std::string when = parts_of(rerun_mode()).when;
  if (when == "only_at_exit") {
    early.at_exit = run_it;
    return;
  }
  auto work = work_of_mode();
  work->run();
  if (when == "destroyed_last") {
    early.work = std::move(work);
    early.at_exit = run_it;
  } else if (when == "planned_last") {
    early.at_exit = plan_and_run;
  } else if (when == "destroyed_first") {
    static static_object late;
    late.work = std::move(work);
    late.at_exit = run_it;
  } else {  // a thread goes on while the program ends
    std::thread{[busy = work.release()] {
      for (;;) busy->enqueue();
    }}.detach();
  }
}

void expect_a_good_end(const std::string& when) {
  // 1024: one thread and its scratch. 2^20: all threads of the pool.
  for (const char* engine_and_length : {"host:8", "host:1024", "host:1048576", "reference:1024"}) {
    const std::string mode = when + ":" + engine_and_length;
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(exit_code_of_rerun(mode, {{"WINGBEAT_THREADS", "4"}}), 0) << mode;
    }
  }
}

TEST(host_exit, runs_in_an_object_that_was_constructed_before_the_library_was_used) {
  expect_a_good_end("destroyed_last");
}

TEST(host_exit, runs_in_an_object_that_was_constructed_later) {
  expect_a_good_end("destroyed_first");
}

TEST(host_exit, plans_in_the_last_destructor) {
  expect_a_good_end("planned_last");
}

TEST(host_exit, begins_in_a_destructor) {
  expect_a_good_end("only_at_exit");
}

TEST(host_exit, does_not_wait_for_a_thread_that_goes_on) {
  expect_a_good_end("busy");
}

TEST(host_exit, runs_in_a_forked_child) {
  exit_work work{engine::host, std::size_t{1} << 20};
  work.run();
  const pid_t child = start_child([&] {
    ::alarm(60);
    work.run();
    exit_work{engine::host, std::size_t{1} << 18}.run();
    return 0;
  });
  EXPECT_EQ(exit_code_of(child), 0);
  work.run();
}

/// Runs `work` in threads and `in_child` in children that are forked meanwhile.
void expect_children_run(const std::function<void()>& work, const std::function<void()>& in_child) {
  if (has_sanitizer) {
    GTEST_SKIP() << "a sanitizer's allocator may be locked for ever in such children (GCC 12)";
  }
  std::atomic<bool> is_over = false;
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      while (!is_over) work();
    });
  }
  for (int i = 0; i < 40 && !::testing::Test::HasFailure(); ++i) {
    const pid_t child = start_child([&] {
      ::alarm(20);
      in_child();
      return 0;
    });
    EXPECT_EQ(exit_code_of(child), 0);
  }
  is_over = true;
  for (std::thread& each : threads) each.join();
}

TEST(host_exit, runs_in_a_child_forked_while_threads_run_on_its_queue) {
  for (const engine runs_on : {engine::host, engine::reference}) {
    const std::size_t n = runs_on == engine::host ? std::size_t{1} << 16 : 256;
    queue on{first_device(runs_on)};
    const plan transform{on, {.lengths = {n}, .batch = 2}};
    const auto run = [&] {
      queue own = on;
      const buffer in{own, 16 * n}, out{own, 16 * n};
      transform.enqueue(own, in.view(), out.view());
      plan{own, {.lengths = {n / 2}, .batch = 4}}.enqueue(own, in.view(), out.view());
    };
    expect_children_run(run, run);
  }
}

TEST(host_exit, shares_a_plan_cache_with_children_forked_while_threads_plan) {
  const queue on{first_device(engine::host)};
  plan_cache cache{2};
  const auto use = [&] {
    for (const std::size_t n : {1000, 1024, 3000}) (void)cache.get(on, {.lengths = {n}});
  };
  expect_children_run(use, use);
}

}  // namespace
