// SPDX-License-Identifier: Apache-2.0
// Label: opencl
// Memory, marks and adopted queues, on the OpenCL of this machine.
#include "backend/opencl/queue.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <numeric>  // iota
#include <thread>

#include "backend/opencl/here.hpp"  // opencl_here
#include "wingbeat/error.hpp"       // plan_error, device_error, absent_error

namespace {

using ::testing::HasSubstr;
using namespace wingbeat::test;
using namespace wingbeat::backend;

class opencl_queue : public opencl_here {
 protected:
  static std::vector<float> counted(std::size_t n) {
    std::vector<float> values(n);
    std::iota(values.begin(), values.end(), 0.0f);
    return values;
  }
};

TEST_F(opencl_queue, writes_and_reads_at_any_offset) {
  const auto memory = filled(std::vector<float>(100, -1));
  const auto values = counted(10);
  queue->write({memory.handle, 4 * 37, 4 * 10}, values.data());
  auto expected = std::vector<float>(100, -1);
  std::copy(values.begin(), values.end(), expected.begin() + 37);
  EXPECT_EQ(content(memory), expected);
  EXPECT_EQ(content({memory.handle, 4 * 40, 4 * 3}), (std::vector<float>{3, 4, 5}));
}

TEST_F(opencl_queue, copies_on_the_device) {
  const auto source = filled(counted(100));
  const auto target = filled(std::vector<float>(100, -1));
  queue->copy({target.handle, 4 * 5, 4 * 95}, {source.handle, 4 * 50, 4 * 3});
  const auto got = content(target);
  EXPECT_EQ((std::vector<float>(got.begin() + 4, got.begin() + 9)),
            (std::vector<float>{-1, 50, 51, 52, -1}));
}

TEST_F(opencl_queue, clears_on_the_device) {
  const auto memory = filled(std::vector<float>(100, 7));
  queue->clear({memory.handle, 4 * 5, 4 * 3});
  const auto got = content(memory);
  EXPECT_EQ((std::vector<float>(got.begin() + 4, got.begin() + 9)),
            (std::vector<float>{7, 0, 0, 0, 7}));
}

TEST_F(opencl_queue, refuses_more_memory_than_the_device_gives_at_once) {
  try {
    (void)queue->allocate(std::size_t{1} << 50);
    FAIL();
  } catch (const wingbeat::memory_error& refused) {
    EXPECT_THAT(refused.what(), HasSubstr("a buffer of 1125899906842624 bytes was asked for"));
    EXPECT_THAT(refused.what(), HasSubstr(info.name));
  }
}

TEST(opencl_status, of_an_object_without_memory_is_a_lack_of_memory) {
  using namespace wingbeat::backend::opencl;
  for (const status code : {-4, -5, -6}) {
    EXPECT_THROW(check_allocation(code, "allocate"), wingbeat::memory_error) << code;
  }
  EXPECT_NO_THROW(check_allocation(success, "allocate"));
  try {
    check_allocation(-34, "allocate");
    FAIL();
  } catch (const wingbeat::memory_error&) {
    FAIL() << "of another reason";
  } catch (const wingbeat::device_error&) {
  }
}

TEST_F(opencl_queue, reports_a_transfer_that_does_not_fit) {
  const auto memory = room(10);
  std::vector<float> values(20);
  EXPECT_THROW(queue->read(values.data(), {memory.handle, 0, 80}), wingbeat::device_error);
  EXPECT_THROW(queue->write({memory.handle, 44, 4}, values.data()), wingbeat::device_error);
}

TEST_F(opencl_queue, measures_the_time_between_marks) {
  const auto begin = std::chrono::steady_clock::now();
  const auto first = queue->record();
  queue->wait();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const auto second = queue->record();
  const double elapsed_s = second->seconds_since(*first);
  const std::chrono::duration<double> around = std::chrono::steady_clock::now() - begin;
  EXPECT_GE(elapsed_s, 0.019);
  EXPECT_LE(elapsed_s, around.count() + 0.001);
  EXPECT_DOUBLE_EQ(second->seconds_since(*second), 0);
  EXPECT_DOUBLE_EQ(first->seconds_since(*second), -elapsed_s);
}

TEST_F(opencl_queue, keeps_a_mark_after_the_queue_is_gone) {
  auto other = engine.open(info);
  const auto first = other->record();
  const auto second = other->record();
  other.reset();
  EXPECT_GE(second->seconds_since(*first), 0);
}

TEST_F(opencl_queue, has_a_workspace_that_grows_when_asked_to) {
  EXPECT_THROW((void)queue->lend(1), wingbeat::plan_error);
  queue->reserve(1000);
  const auto small = queue->lend(1000).view();
  EXPECT_GE(small.size_bytes, 1000u);
  EXPECT_EQ(queue->lend(500).view().handle, small.handle);
  EXPECT_THROW((void)queue->lend(5000), wingbeat::plan_error) << "a run allocates nothing";
  queue->reserve(5000);
  EXPECT_GE(queue->lend(5000).view().size_bytes, 5000u);
  queue->reserve(10);
  EXPECT_GE(queue->lend(5000).view().size_bytes, 5000u) << "a queue only grows";
}

TEST_F(opencl_queue, is_of_a_device_that_exists) {
  auto absent = info;
  for (const int index : {-1, 99}) {
    absent.index = index;
    EXPECT_THROW((void)engine.open(absent), wingbeat::absent_error) << index;
  }
}

// A queue that a user's program made, as it would: with calls of its own.
class opencl_adopted_queue : public opencl_queue {
 protected:
  void SetUp() override {
    opencl_queue::SetUp();
    if (IsSkipped()) return;
    const auto id = dynamic_cast<opencl::queue&>(*queue).driver_device().id;
    opencl::status result = 0;
    context_ = {api.create_context(nullptr, 1, &id, nullptr, nullptr, &result),
                api.release_context};
    ASSERT_EQ(result, opencl::success);
  }

  opencl::owned<opencl::queue_handle> native(std::uint64_t properties) {
    const auto id = dynamic_cast<opencl::queue&>(*queue).driver_device().id;
    opencl::status result = 0;
    opencl::owned<opencl::queue_handle> created{
        api.create_queue(context_.get(), id, properties, &result), api.release_queue};
    EXPECT_EQ(result, opencl::success);
    return created;
  }

  const opencl::driver_api& api = opened.api;
  opencl::owned<opencl::context_handle> context_;
};

TEST_F(opencl_adopted_queue, works_after_its_owner_let_it_go) {
  for (const std::uint64_t properties : {std::uint64_t{0}, opencl::queue_profiling}) {
    auto theirs = native(properties);
    queue = engine.adopt(theirs.get());
    theirs = {};
    EXPECT_EQ(queue->device().name, info.name);
    EXPECT_EQ(content(filled(counted(50))), counted(50));
    const auto first = queue->record();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_GE(queue->record()->seconds_since(*first), 0.019) << "profiling " << properties;
  }
}

TEST_F(opencl_adopted_queue, must_be_in_order) {
  const auto theirs = native(opencl::queue_out_of_order);
  EXPECT_THROW((void)engine.adopt(theirs.get()), wingbeat::plan_error);
  EXPECT_THROW((void)engine.adopt(nullptr), wingbeat::plan_error);
}

// A kernel belongs to the context it was compiled in.
TEST_F(opencl_adopted_queue, runs_kernels_of_its_own_context_only) {
  const char text[] = R"(
    kernel void entry(global const float* in, global float* out, global const float* table,
                      ulong in_first, ulong out_first, ulong batch, local char* scratch) {
      if (get_global_id(0) < batch) out[get_global_id(0)] = 2 * in[get_global_id(0)];
    })";
  const auto elsewhere = compiled(text, 8);
  queue = engine.adopt(native(0).get());
  const auto own = compiled(text, 8);
  const auto memory = filled(counted(8));
  const transform_arguments arguments{.in = memory, .out = memory, .table = memory, .batch = 8};
  EXPECT_THROW(elsewhere->launch(*queue, 1, arguments.list()), wingbeat::plan_error);
  EXPECT_EQ(content(memory), counted(8));
  own->launch(*queue, 1, arguments.list());
  EXPECT_EQ(content(memory)[7], 14);
}

}  // namespace
