// SPDX-License-Identifier: Apache-2.0
// Oracle: a log of NVRTC 13.0, kept here, with its numbers read by eye.
#include "backend/cuda/ptxas_log.hpp"

#include <gtest/gtest.h>

namespace {

using wingbeat::backend::cuda::read_ptxas_log;

constexpr auto log = R"(spills.cu(3): warning #177-D: 7 registers was declared but never referenced
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'spills' for 'sm_90'
ptxas info    : Function properties for spills
ptxas         .     1064 bytes stack frame, 1608 bytes spill stores, 2120 bytes spill loads
ptxas info    : Used 32 registers, used 1 barriers, 1072 bytes cumulative stack size
ptxas info    : Compile time = 77.366 ms
ptxas info    : Compiling entry function 'plain' for 'sm_90'
ptxas info    : Function properties for plain
ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 12 registers, used 1 barriers, 128 bytes smem
)";

TEST(ptxas_log, tells_spills_and_the_whole_stack) {
  const auto found = read_ptxas_log(log, "spills");
  EXPECT_EQ(found.registers, 32);
  EXPECT_EQ(found.spill_bytes, 2120);
  EXPECT_EQ(found.stack_bytes, 1072);
  EXPECT_EQ(found.static_scratch_bytes, 0);
}

TEST(ptxas_log, keeps_the_kernels_of_one_text_apart) {
  const auto found = read_ptxas_log(log, "plain");
  EXPECT_EQ(found.registers, 12);
  EXPECT_EQ(found.spill_bytes, 0);
  EXPECT_EQ(found.stack_bytes, 0);
  EXPECT_EQ(found.static_scratch_bytes, 128);
}

TEST(ptxas_log, knows_nothing_of_a_kernel_that_is_not_there) {
  for (const auto* entry : {"spill", "lain", ""}) {
    const auto found = read_ptxas_log(log, entry);
    EXPECT_EQ(found.registers, -1) << entry;
    EXPECT_EQ(found.spill_bytes, -1) << entry;
    EXPECT_EQ(found.stack_bytes, -1) << entry;
  }
}

}  // namespace
