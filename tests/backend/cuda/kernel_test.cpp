// SPDX-License-Identifier: Apache-2.0
// Oracle: a driver made of host memory, which sees what is compiled, loaded and launched.
// Batch: none
#include "backend/cuda/kernel.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "backend/cuda/engine_on_a_fake.hpp"  // cuda_on_a_fake
#include "backend/cuda/queue.hpp"             // cuda_queue
#include "support/refusal.hpp"                // message_of
#include "text/formatted.hpp"                 // formatted
#include "wingbeat/error.hpp"

namespace {

using namespace wingbeat;
using namespace wingbeat::test;
using backend::kernel_argument;
using backend::kernel_source;
using ::testing::HasSubstr;
using ::testing::Not;

TEST_F(cuda_on_a_fake, launches_with_its_arguments_in_order) {
  const auto on = open();
  const auto loaded = engine().compile(on, kernel);
  char in, out, table;
  const void *in_at = &in, *out_at = &out, *table_at = &table;
  const std::uint64_t in_first = 11, out_first = 12, batch = 13;
  const std::array arguments{kernel_argument::of(in_at),     kernel_argument::of(out_at),
                             kernel_argument::of(table_at),  kernel_argument::of(in_first),
                             kernel_argument::of(out_first), kernel_argument::of(batch)};
  loaded->launch(*on, 3, arguments);

  ASSERT_EQ(machine().launches.size(), 1u);
  const auto& seen = machine().launches.front();
  EXPECT_EQ(seen.grid_x, 3u);
  EXPECT_EQ(seen.block_x, 64u);
  EXPECT_EQ(seen.shared_bytes, 512u);
  EXPECT_EQ(seen.stream, backend::cuda::cuda_queue(*on).stream());
  EXPECT_THAT(seen.pointers, ::testing::ElementsAre(&in, &out, &table));
  EXPECT_THAT(seen.quantities, ::testing::ElementsAre(11u, 12u, 13u));
}

TEST_F(cuda_on_a_fake, refuses_a_grid_or_a_context_that_cannot_be) {
  const auto on = open();
  const auto loaded = engine().compile(on, kernel);
  const std::size_t most = (std::size_t{1} << 31) - 1;
  loaded->launch(*on, most, {});
  EXPECT_THROW(loaded->launch(*on, most + 1, {}), plan_error);
  EXPECT_THROW(loaded->launch(*on, 0, {}), plan_error);
  const auto other = engine().open(engine().devices().back());
  EXPECT_THAT(message_of([&] { loaded->launch(*other, 1, {}); }),
              HasSubstr("another CUDA context"));
  EXPECT_EQ(machine().launches.size(), 1u);
}

TEST_F(cuda_on_a_fake, refuses_a_workgroup_the_device_cannot_hold) {
  const auto on = open();
  const auto& compiler = engine();
  auto faulty = kernel;
  faulty.threads = 2048;
  EXPECT_THROW(static_cast<void>(compiler.compile(on, faulty)), plan_error);
  faulty = kernel;
  faulty.scratch_bytes = 232449;
  EXPECT_THROW(static_cast<void>(compiler.compile(on, faulty)), plan_error);
  faulty.scratch_bytes = 232448;  // fits, but for the 16 bytes the kernel declares itself
  EXPECT_THROW(static_cast<void>(compiler.compile(on, faulty)), plan_error);
  machine().max_threads = 32;
  EXPECT_THAT(message_of([&] { static_cast<void>(compiler.compile(on, kernel)); }),
              HasSubstr("40 registers a thread"));
  EXPECT_EQ(machine().n_images, 0);
}

TEST_F(cuda_on_a_fake, asks_the_driver_for_much_scratch_only) {
  const auto on = open();
  static_cast<void>(engine().compile(on, kernel));
  EXPECT_EQ(machine().dynamic_shared_bytes, 0);
  auto wide = kernel;
  wide.scratch_bytes = 200'000;
  static_cast<void>(engine().compile(on, wide));
  EXPECT_EQ(machine().dynamic_shared_bytes, 200'000);
}

TEST_F(cuda_on_a_fake, keeps_workgroups_apart_that_are_launched_early) {
  const auto on = open();
  const auto given = [&](kernel_source source) {
    source.text = formatted("{} {}", source.workgroups, source.workgroups_of_cluster);
    const auto loaded = engine().compile(on, source);
    EXPECT_EQ(loaded->resources().scratch_bytes, int(source.scratch_bytes) + 16) << "as asked";
    loaded->launch(*on, source.workgroups, {});
    return machine().launches.back().shared_bytes;
  };
  kernel_source early = kernel;
  early.workgroups = 64;
  EXPECT_EQ(given(early), 512u) << "behind the launch before";
  early.starts_early = true;
  const unsigned half = (232448 + 1024) / 2;
  for (const std::size_t workgroups : {17, 64, 132}) {
    early.workgroups = workgroups;
    EXPECT_EQ(given(early), half) << workgroups;
  }
  for (const std::size_t workgroups : {1, 16, 133}) {
    early.workgroups = workgroups;
    EXPECT_EQ(given(early), 512u) << workgroups;
  }
  early.workgroups = 64;
  early.workgroups_of_cluster = 2;
  EXPECT_EQ(given(early), 512u) << "a cluster";
  early.workgroups_of_cluster = 1;
  early.scratch_bytes = 200'000;
  EXPECT_EQ(given(early), 200'000u) << "more than half already";
}

TEST_F(cuda_on_a_fake, compiles_once_and_knows_the_figures_again) {
  const auto on = open();
  static_cast<void>(engine().compile(on, kernel));
  const auto taken = engine().compile(on, kernel)->resources();
  EXPECT_EQ(machine().n_compilations, 1);
  EXPECT_EQ(taken.name, "kernel");
  EXPECT_EQ(taken.threads, 64);
  EXPECT_EQ(taken.registers, 40);
  EXPECT_EQ(taken.spill_bytes, 6);
  EXPECT_EQ(taken.scratch_bytes, 512 + 16);
}

TEST_F(cuda_on_a_fake, keeps_nvrtc_from_returning_code_without_figures) {
  // The option came with NVRTC's own cache, in 12.9; an earlier one refuses it.
  const auto on = open();
  using ::testing::Contains;
  static_cast<void>(engine().compile(on, kernel));
  EXPECT_THAT(machine().options, Contains("--no-cache"));
  EXPECT_THAT(machine().options, Contains("--gpu-architecture=sm_90"));
  machine().nvrtc_version = 128;
  static_cast<void>(engine().compile(on, kernel));
  EXPECT_EQ(machine().n_compilations, 2) << "another compiler's kernel was taken from the cache";
  EXPECT_THAT(machine().options, Not(Contains("--no-cache")));
}

TEST_F(cuda_on_a_fake, compiles_again_what_the_driver_refuses_from_the_cache) {
  const auto on = open();
  static_cast<void>(engine().compile(on, kernel));
  machine().image_status = 200;
  EXPECT_THAT(message_of([&] { static_cast<void>(engine().compile(on, kernel)); }),
              HasSubstr("could not load a kernel"));
  EXPECT_EQ(machine().n_compilations, 2);
}

}  // namespace
