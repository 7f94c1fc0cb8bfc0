// SPDX-License-Identifier: Apache-2.0
// Label: opencl
// Queues and stopwatches on every device here, moved from too.
#include "wingbeat/queue.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>  // move

#include "support/refusal.hpp"  // refusal
#include "wingbeat/buffer.hpp"  // buffer
#include "wingbeat/plan.hpp"    // plan

namespace {

using namespace wingbeat;
using namespace wingbeat::test;
using ::testing::HasSubstr;

TEST(queue, is_the_same_queue_once_moved_from) {
  for (const device_info& device : devices()) {
    SCOPED_TRACE(device.name);
    queue first{device};
    const queue second = std::move(first);
    EXPECT_EQ(first.impl(), second.impl());
    EXPECT_EQ(first.device().name, device.name);
    first.reserve(64);
    first.wait();
    EXPECT_EQ((buffer{first, 64}.size_bytes()), 64U);
    queue assigned{first_device(engine::reference)};
    assigned = std::move(first);
    EXPECT_EQ(assigned.impl(), first.impl());
  }
}

TEST(queue, is_of_an_engine_that_exists) {
  device_info device = first_device(engine::host);
  device.runs_on = static_cast<engine>(77);
  EXPECT_THAT(refusal([&] { queue{device}; }),
              HasSubstr("engine number 77 does not exist; choose reference, host, opencl or cuda"));
}

TEST(queue, is_of_a_device_that_exists) {
  for (const engine runs_on : {engine::host, engine::reference}) {
    for (const int index : {5, -1}) {
      device_info device = first_device(runs_on);
      device.index = index;
      EXPECT_THROW(queue{device}, absent_error) << index;
    }
  }
}

TEST(queue, leaves_workspaces_to_its_caller_once_disowned) {
  const plan_spec spec{.lengths = {1 << 16}, .batch = 2};
  queue on{first_device(engine::host)};
  on.disown_workspace();
  const plan transform{on, spec};
  ASSERT_GT(transform.workspace_bytes(), 0U);
  const buffer memory{on, input_bytes(spec)}, workspace{on, transform.workspace_bytes()};
  EXPECT_THROW(transform.enqueue(on, memory.view(), memory.view()), plan_error);
  EXPECT_NO_THROW(transform.enqueue(on, memory.view(), memory.view(), workspace.view()));
}

TEST(stopwatch, measures_between_two_marks) {
  for (const device_info& device : devices()) {
    SCOPED_TRACE(device.name);
    const queue on{device};
    stopwatch watch{on};
    EXPECT_THAT(refusal([&] { (void)watch.seconds(); }), HasSubstr("call start() and stop()"));
    watch.start();
    watch.stop();
    EXPECT_GE(watch.seconds(), 0);
  }
}

TEST(stopwatch, refuses_to_be_used_once_moved_from) {
  const queue on{first_device(engine::host)};
  stopwatch watch{on};
  stopwatch owner = std::move(watch);
  const auto sentence =
      HasSubstr("this stopwatch was moved from; use the stopwatch that it was moved to");
  EXPECT_THAT(refusal([&] { watch.start(); }), sentence);
  EXPECT_THAT(refusal([&] { watch.stop(); }), sentence);
  EXPECT_THAT(refusal([&] { (void)watch.seconds(); }), sentence);
  owner.start();
  owner.stop();
  EXPECT_GE(owner.seconds(), 0);
}

}  // namespace
