// SPDX-License-Identifier: Apache-2.0
// Label: opencl
// Timeout: 300
// Small planes of reals in one launch: each kind and pairs of kinds, layouts and storage, on
// engines that compile kernels, beside the reference; and which requests take one launch.
#include "programs/real_blocks.hpp"

#include <gtest/gtest.h>

#include "backend/planning_engine.hpp"   // planning_engine
#include "programs/real_transforms.hpp"  // transform_program
#include "request/traits.hpp"            // kinds
#include "support/on_engine.hpp"         // on_engine, compiled_engines, engine_name
#include "support/plan_check.hpp"        // check_plan
#include "wingbeat/wingbeat.hpp"

namespace {

using namespace wingbeat;
using namespace wingbeat::test;

programs::program on_gpu(const plan_spec& spec) {
  const backend::planning_engine engine{"sm_90"};
  return programs::transform_program(engine, engine.open(engine.devices().front()),
                                     request::resolved_spec{spec});
}

TEST(real_blocks, are_one_launch_where_both_axes_are_short) {
  const auto steps = [](plan_spec spec) {
    spec.batch = 100;
    spec.kind = transform::dct2;
    return on_gpu(spec).steps.size();
  };
  EXPECT_EQ(steps({.lengths = {8, 8}}), 1U);
  EXPECT_EQ(steps({.lengths = {3, 16}}), 1U);
  EXPECT_EQ(steps({.lengths = {16, 16}, .real = precision::fp64}), 1U);
  EXPECT_EQ(steps({.lengths = {8, 17}}), 2U);
  EXPECT_EQ(steps({.lengths = {8, 8, 8}}), 3U);
  EXPECT_EQ(steps({.lengths = {8, 8}, .valid_out = {{0, 8}, {0, 7}}}), 2U);
}

TEST(real_blocks, fill_workgroups) {
  const auto program = on_gpu({.lengths = {8, 5}, .batch = {7, 11}, .kind = transform::dst3});
  const programs::kernel_launch* const launch = program.steps.front().kernel();
  ASSERT_NE(launch, nullptr);
  EXPECT_EQ(launch->kernel.threads, 128U);
  EXPECT_EQ(launch->kernel.scratch_bytes, 16U * 8 * 5 * sizeof(float));
  EXPECT_EQ(launch->workgroups, 5U);
  EXPECT_EQ(launch->traffic_bytes, 2U * 77 * 40 * sizeof(float));
  EXPECT_EQ(launch->description,
            "dst3 x dst3 of 8x5 reals by matrices, in one launch: 16 planes a workgroup, "
            "128 threads, 2560 bytes of local memory");
}

class real_blocks_on : public on_engine {
 protected:
  void check(const plan_spec& spec) const {
    const plan_verdict verdict = check_plan(*on, {.spec = spec});
    ASSERT_EQ(verdict.is, plan_verdict::right) << verdict.why << plan{*on, spec}.explain();
  }
};

TEST_P(real_blocks_on, are_the_sums_of_each_kind) {
  using enum transform;
  for (const request::traits& kind : request::kinds) {
    if (!kind.is_real_to_real() || (leaves_out() && kind.kind != dct2)) continue;
    check({.lengths = {8, 8}, .batch = 21, .kind = kind.kind, .scale = scaling::by_sqrt_length});
  }
  check({.lengths = {5, 8},
         .batch = 3,
         .kind = dst1,
         .axis_kinds = {dct1, dst1},
         .orthogonalize = true});
}

TEST_P(real_blocks_on, lie_as_layouts_say) {
  // Blocks of an image of 6 x 4 blocks, to blocks one behind another.
  check({.lengths = {8, 8},
         .batch = {6, 4},
         .kind = transform::dct2,
         .in = {.strides = {32, 1}, .distances = {256, 8}}});
  if (leaves_out()) return;
  check({.lengths = {4, 8},
         .batch = 9,
         .kind = transform::dht,
         .real = precision::fp16,
         .in = {.strides = {2, 9}, .distances = {80}}});
  check({.lengths = {16, 3}, .batch = 70, .kind = transform::dst4, .real = precision::fp64});
}

INSTANTIATE_TEST_SUITE_P(engines, real_blocks_on, compiled_engines(), engine_name);

}  // namespace
