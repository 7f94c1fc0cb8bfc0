// SPDX-License-Identifier: Apache-2.0
// Timeout: 900
// Passes with functors, compiled for three architectures without a GPU: no register may spill, and
// the compiler names the functor's own lines.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backend/cuda/device_of.hpp"
#include "backend/cuda/nvrtc.hpp"        // compile_for
#include "backend/fused_text_check.hpp"  // names_line, sound_load
#include "backend/fusion_check.hpp"      // fused_case
#include "planner/recipe.hpp"            // make_recipe
#include "planner/unit.hpp"              // unit_text, entry_of
#include "wingbeat/error.hpp"            // device_error

namespace {

using namespace wingbeat;
using namespace wingbeat::test;
using planner::launch;

backend::cuda::compile_report compiled(const launch& one, const std::string& architecture) {
  return backend::cuda::compile_for({.text = planner::unit_text(one),
                                     .entry = planner::entry_of(one),
                                     .threads = one.passes.front().threads(),
                                     .scratch_bytes = one.scratch_bytes(),
                                     .path = "wingbeat_pass.cpp"},
                                    architecture);
}

class cuda_fusion : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    const auto& found = backend::cuda::process_nvrtc();
    if (!found.problem.empty()) GTEST_SKIP() << found.problem;
  }

  /// Compiles every launch that a functor is part of.
  static void expect_no_spills(const plan_spec& what) {
    SCOPED_TRACE(described(what));
    for (const launch& one : planner::make_recipe(what, device_of(GetParam())).launches) {
      if (!one.passes.front().in.fused && !one.passes.back().out.fused) continue;
      const auto made = compiled(one, GetParam());
      // Clusters fill the register file, see every_shape_test.cpp; yours takes two registers more.
      const int allowed = one.passes.front().workgroups_of_cluster >= 8 ? 32 : 0;
      EXPECT_LE(made.figures.spill_bytes, allowed) << one.describe();
      EXPECT_LE(made.figures.stack_bytes, allowed) << one.describe();
      EXPECT_GT(made.figures.registers, 0) << one.describe();
    }
  }
};

TEST_P(cuda_fusion, compiles_without_spills) {
  for (const transform kind : every_kind) {
    for (const std::size_t n : {16, 1024, 8192, 1 << 16}) {
      for (const fuse which : {fuse::both, fuse::load}) {  // a load alone is requested ahead
        expect_no_spills(
            fused_case<float>{{.lengths = {n}, .batch = 1, .kind = kind}, which}.spec());
      }
    }
    expect_no_spills(fused_case<double>{
        {.lengths = {4096}, .batch = 1, .kind = kind, .real = precision::fp64}, fuse::both}
                         .spec());
  }
}

INSTANTIATE_TEST_SUITE_P(architectures, cuda_fusion, ::testing::Values("sm_80", "sm_90", "sm_100"),
                         [](const auto& of) { return of.param; });

std::string message_of(const plan_spec& what) {
  try {
    static_cast<void>(
        compiled(planner::make_recipe(what, device_of("sm_90")).launches.front(), "sm_90"));
  } catch (const device_error& why) {
    return why.what();
  }
  return "nothing was refused";
}

TEST_F(cuda_fusion, names_the_line_that_is_wrong) {
  const auto wrong = replaced(sound_load, "with.by * in", "with.by * im");
  EXPECT_EQ(message_of(with_load(sound_load)), "nothing was refused");
  EXPECT_THAT(message_of(with_load(wrong)), names_line("your load functor", 8));
  EXPECT_THAT(message_of(with_load("#include \"wingbeat/device/twiddle.hpp\"\n\n" + wrong)),
              names_line("your load functor", 10));
  EXPECT_THAT(message_of(with_load(sound_load, "no_such_type")),
              names_line("type of your load functor", 1));
}

TEST_F(cuda_fusion, names_the_part_that_is_missing) {
  check_parts(message_of);
}

}  // namespace
