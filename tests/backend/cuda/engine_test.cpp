// SPDX-License-Identifier: Apache-2.0
// Oracle: a driver made of host memory, which counts what is created, destroyed and left current.
// Batch: none
#include "backend/cuda/engine.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <thread>
#include <utility>  // pair

#include "backend/cuda/engine_on_a_fake.hpp"  // cuda_on_a_fake
#include "backend/cuda/queue.hpp"             // cuda::queue
#include "support/refusal.hpp"                // message_of
#include "wingbeat/error.hpp"

namespace {

using namespace wingbeat;
using namespace wingbeat::test;
using backend::kernel_source;
using ::testing::HasSubstr;

TEST_F(cuda_on_a_fake, describes_its_devices) {
  const auto found = engine().devices();
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(engine().why_absent(), "");
  EXPECT_EQ(found[1].runs_on, wingbeat::engine::cuda);
  EXPECT_EQ(found[1].index, 1);
  EXPECT_EQ(found[1].name, "Fake GPU");
  EXPECT_EQ(found[1].architecture, "sm_90");
  EXPECT_EQ(found[1].version, "CUDA 13.2, NVRTC 13.0");
  EXPECT_EQ(found[1].memory_bytes, fake_machine::memory_bytes);
  EXPECT_EQ(found[1].local_memory_bytes, 232448u);
  EXPECT_EQ(found[1].max_workgroup, 1024u);
  EXPECT_EQ(found[1].compute_units, 132u);
  EXPECT_TRUE(found[1].has_fp64 && found[1].is_gpu);
}

TEST_F(cuda_on_a_fake, reports_what_its_devices_can_do) {
  const auto described = [&](int capability_major, bool has_clusters) {
    machine().capability_major = capability_major;
    machine().has_clusters = has_clusters;
    engine_.reset();
    return engine().devices().at(0);
  };
  const device_info hopper = described(9, true);
  EXPECT_EQ(hopper.capability_major, 9);
  EXPECT_EQ(hopper.capability_minor, 0);
  EXPECT_EQ(hopper.max_cluster, 16U);
  EXPECT_TRUE(hopper.has_bulk_prefetch);
  EXPECT_EQ(described(10, true).capability_major, 10);
  EXPECT_EQ(described(10, true).max_cluster, 16U);
  EXPECT_EQ(described(9, false).max_cluster, 1U);
  const device_info ampere = described(8, true);
  EXPECT_EQ(ampere.architecture, "sm_80");
  EXPECT_EQ(ampere.max_cluster, 1U) << "its driver may not know the question";
  EXPECT_FALSE(ampere.has_bulk_prefetch);
}

TEST_F(cuda_on_a_fake, launches_early_where_the_driver_can) {
  kernel_source early = kernel;
  early.starts_early = true;
  const auto launched = [&](const kernel_source& source) {
    const auto on = open();
    const bool is_known = on->device().has_early_launch;
    const auto loaded = engine().compile(on, source);
    loaded->launch(*on, 3, {});
    const auto& seen = machine().launches.back();
    EXPECT_EQ(seen.grid_x, 3U);
    EXPECT_EQ(seen.block_x, 64U);
    EXPECT_EQ(seen.shared_bytes, 512U);
    EXPECT_EQ(seen.stream, backend::cuda::cuda_queue(*on).stream());
    engine_.reset();
    return std::pair{is_known, seen.is_early};
  };
  EXPECT_EQ(launched(early), (std::pair{true, true}));
  EXPECT_EQ(launched(kernel), (std::pair{true, false})) << "its text does not wait";
  machine().driver_version = 12020;
  EXPECT_EQ(launched(early), (std::pair{false, false})) << "could not be captured";
  machine().driver_version = 13020;
  machine().capability_major = 8;
  EXPECT_EQ(launched(early), (std::pair{false, false}));
  machine().capability_major = 9;
  driver_.launch_configured = nullptr;
  EXPECT_EQ(launched(early), (std::pair{false, false}));
}

TEST_F(cuda_on_a_fake, leaves_a_context_that_is_current) {
  const auto on = open();
  const auto own = backend::cuda::cuda_queue(*on).context();
  const auto loaded = engine().compile(on, kernel);
  const auto foreign = handle_numbered<cuda::context_handle>(7);
  for (const auto current : {own, foreign}) {
    contexts().push_back(current);
    loaded->launch(*on, 1, {});
    EXPECT_THAT(contexts(), ::testing::ElementsAre(current));
    contexts().clear();
  }
}

TEST_F(cuda_on_a_fake, says_why_it_is_absent) {
  const auto why = [&] {
    engine_.reset();
    EXPECT_TRUE(engine().devices().empty());
    EXPECT_THROW(static_cast<void>(engine().open({})), absent_error);
    EXPECT_THROW(static_cast<void>(engine().adopt(nullptr)), absent_error);
    return engine().why_absent();
  };
  machine().n_devices = 0;
  EXPECT_THAT(why(), HasSubstr("finds no GPU"));
  nvrtc_.problem = "none of libnvrtc.so.13 could be opened";
  EXPECT_THAT(why(), HasSubstr("NVRTC is not: none of libnvrtc.so.13"));
  machine().init_status = 100;
  EXPECT_THAT(why(), HasSubstr("did not start: as the test wished (CUDA_ERROR_FAKE)"));
  driver_problem_ = "none of libcuda.so.1 could be opened";
  EXPECT_THAT(why(), HasSubstr("no NVIDIA driver was found: none of libcuda.so.1"));
}

TEST_F(cuda_on_a_fake, refuses_a_device_that_does_not_exist) {
  device_info third;
  third.index = 2;
  EXPECT_THAT(message_of([&] { static_cast<void>(engine().open(third)); }),
              HasSubstr("no cuda device 2; choose 0 to 1"));
}

TEST_F(cuda_on_a_fake, copies_at_an_offset_and_waits_for_it) {
  const auto on = open();
  void* address = on->allocate(8);
  on->write({address, 0, 8}, "abcdefgh");
  on->write({address, 2, 3}, "XYZ");
  std::array<char, 5> back{};
  on->read(back.data(), {address, 1, 4});
  EXPECT_STREQ(back.data(), "bXYZ");
  EXPECT_EQ(machine().n_stream_waits, 3);
  on->copy({address, 0, 8}, {address, 5, 2});
  EXPECT_EQ(machine().n_stream_waits, 3) << "a copy on the device need not be waited for";
  on->read(back.data(), {address, 0, 4});
  EXPECT_STREQ(back.data(), "fgXY");
  on->copy_rows({address, 4, 4}, {address, 2, 2}, /*row_bytes=*/1, /*stride=*/2);
  EXPECT_EQ(machine().n_stream_waits, 4);
  on->read(back.data(), {address, 4, 4});
  EXPECT_STREQ(back.data(), "XfYh");
  on->release(address);
  EXPECT_EQ(machine().n_allocations, 0);
}

TEST_F(cuda_on_a_fake, says_how_much_memory_was_asked_and_is_free) {
  const auto on = open();
  EXPECT_THROW(static_cast<void>(on->allocate(2 << 20)), device_error);
  EXPECT_THAT(message_of([&] { static_cast<void>(on->allocate(2 << 20)); }),
              HasSubstr("2097152 bytes were asked for and 1048576 of the 1048576 bytes"));
}

TEST_F(cuda_on_a_fake, destroys_what_it_created) {
  {
    const auto on = open();
    const auto first = on->record();
    const auto second = on->record();
    EXPECT_DOUBLE_EQ(second->seconds_since(*first), 0.25);
    on->reserve(100);
    EXPECT_NE(on->lend(100).view().handle, nullptr);
    const auto loaded = engine().compile(on, kernel);
    EXPECT_EQ(machine().n_events, 2);
    EXPECT_EQ(machine().n_images, 1);
    EXPECT_EQ(machine().n_allocations, 1);
  }
  EXPECT_EQ(machine().n_events, 0);
  EXPECT_EQ(machine().n_images, 0);
  EXPECT_EQ(machine().n_allocations, 0);
  EXPECT_EQ(machine().n_streams, 0);
}

TEST_F(cuda_on_a_fake, allocates_a_workspace_when_it_is_reserved_and_never_in_a_run) {
  const auto on = open();
  EXPECT_THAT(message_of([&] { static_cast<void>(on->lend(100)); }),
              HasSubstr("needs a workspace of 100 bytes and the queue has reserved 0"));
  on->reserve(100);
  EXPECT_EQ(machine().n_allocations, 1);
  const void* const memory = on->lend(60).view().handle;
  EXPECT_EQ(on->lend(100).view().handle, memory);
  EXPECT_THROW(static_cast<void>(on->lend(101)), plan_error);
  on->reserve(50);
  EXPECT_GE(on->lend(100).view().size_bytes, 100u) << "a queue only grows";
  on->reserve(200);
  EXPECT_EQ(machine().n_allocations, 1);
}

TEST_F(cuda_on_a_fake, leaves_a_driver_that_has_shut_down_alone) {
  auto on = open();
  auto loaded = engine().compile(on, kernel);
  auto mark = on->record();
  machine().is_shut_down = true;
  loaded.reset();
  mark.reset();
  on.reset();
  EXPECT_EQ(machine().n_images, 1);
  EXPECT_EQ(machine().n_streams, 1);
}

TEST_F(cuda_on_a_fake, adopts_a_stream_of_the_current_context) {
  EXPECT_THAT(message_of([&] { static_cast<void>(engine().adopt(nullptr)); }),
              HasSubstr("no current CUDA context"));
  const auto context = handle_numbered<cuda::context_handle>(101);
  const auto stream = handle_numbered<cuda::stream_handle>(77);
  contexts().push_back(context);
  auto on = engine().adopt(stream);
  contexts().clear();

  EXPECT_EQ(on->device().index, 1);
  EXPECT_EQ(backend::cuda::cuda_queue(*on).stream(), stream);
  EXPECT_EQ(backend::cuda::cuda_queue(*on).context(), context);
  on->reserve(100);
  on.reset();
  // The stream was its owner's to destroy, perhaps before: it is not waited for, nor destroyed.
  EXPECT_EQ(machine().n_stream_waits, 0);
  EXPECT_EQ(machine().n_context_waits, 1);
  EXPECT_EQ(machine().n_streams, 0);
}

TEST_F(cuda_on_a_fake, adopts_a_stream_of_a_device_without_a_current_context) {
  const auto stream = handle_numbered<cuda::stream_handle>(77);
  const auto on = engine().adopt_of_device(stream, 1);
  EXPECT_EQ(on->device().index, 1);
  EXPECT_EQ(backend::cuda::cuda_queue(*on).stream(), stream);
  const auto opened = engine().open(engine().devices().at(1));
  EXPECT_EQ(on->native_context(), opened->native_context());
  EXPECT_THROW(static_cast<void>(engine().adopt_of_device(stream, 99)), absent_error);
}

TEST_F(cuda_on_a_fake, serves_many_threads) {
  const auto on = open();
  const auto loaded = engine().compile(on, kernel);
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      for (int run = 0; run < 50; ++run) {
        loaded->launch(*on, 1, {});
        on->release(on->allocate(16));
      }
      static_cast<void>(engine().compile(on, kernel));
      EXPECT_TRUE(contexts().empty());
    });
  }
  for (auto& each : threads) each.join();
  EXPECT_EQ(machine().launches.size(), 400u);
  EXPECT_EQ(machine().n_allocations, 0);
}

}  // namespace
