// SPDX-License-Identifier: Apache-2.0
// Label: unit
// Timeout: 900
// Compiles every pass that a plan for an NVIDIA GPU can hold, for three architectures, without a
// GPU: no register may spill and no array may live in local memory.
#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <mutex>
#include <thread>

#include "backend/cuda/device_of.hpp"
#include "backend/cuda/nvrtc.hpp"      // compile_for
#include "backend/device_sources.hpp"  // flatten
#include "planner/recipe.hpp"          // every_pass
#include "wingbeat/error.hpp"          // absent_error

namespace {

using namespace wingbeat;
using planner::pass;
using test::device_of;

/// One pass of each shape: those of long transforms differ in their strides alone.
std::vector<pass> shapes_of(const device_info& where) {
  std::map<std::string, pass> distinct;
  for (const pass& one : planner::every_pass(where)) {
    pass key = one;
    if (one.total != one.length) key.total = key.in_pitch = key.out_pitch = 0;
    if (one.prior > 1) key.prior = 2;
    distinct.insert_or_assign(key.source_text(), one);
  }
  std::vector<pass> all;
  for (const auto& [key, one] : distinct) all.push_back(one);
  return all;
}

class every_shape : public ::testing::TestWithParam<std::string> {};

TEST_P(every_shape, compiles_without_spills) {
  const std::vector<pass> all = shapes_of(device_of(GetParam()));
  ASSERT_GT(all.size(), 60U);
  std::atomic<std::size_t> next = 0;
  std::mutex report;
  const auto work = [&] {
    for (std::size_t i = next++; i < all.size(); i = next++) {
      const pass& one = all[i];
      const auto made =
          backend::cuda::compile_for({backend::flatten(one.source_text(), "pass.cpp"), one.entry(),
                                      one.threads(), one.scratch_bytes()},
                                     GetParam());
      const std::lock_guard held{report};
      EXPECT_EQ(made.figures.spill_bytes, 0) << one.describe();
      EXPECT_EQ(made.figures.stack_bytes, 0) << one.describe();
      EXPECT_GT(made.figures.registers, 0) << one.describe();
    }
  };
  try {
    backend::cuda::compile_for({"extern \"C\" __global__ void k() {}", "k", 1, 0}, "sm_90");
  } catch (const absent_error& why) {
    GTEST_SKIP() << why.what();
  }
  std::vector<std::jthread> threads(std::max(2U, std::thread::hardware_concurrency()));
  for (auto& each : threads) each = std::jthread{work};
}

INSTANTIATE_TEST_SUITE_P(architectures, every_shape, ::testing::Values("sm_80", "sm_90", "sm_100"),
                         [](const auto& of) { return of.param; });

}  // namespace
