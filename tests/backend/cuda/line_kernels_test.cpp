// SPDX-License-Identifier: Apache-2.0
// Timeout: 300
// Transforms back of lines of reals that lie apart: NVRTC 13.0 ended every second process.
#include <gtest/gtest.h>

#include <string>

#include "backend/cuda/nvrtc.hpp"         // compile_for, process_nvrtc
#include "backend/planning_engine.hpp"    // planning_engine
#include "kernel_text/pass_text.hpp"      // pass_text, entry_name
#include "programs/real_transforms.hpp"   // transform_program
#include "request/validation.hpp"         // validated
#include "support/child.hpp"              // start_child, exit_code_of
#include "support/numbered_functors.hpp"  // numbered_multiplier

namespace {

using namespace wingbeat;

int compile_all(const plan_spec& spec) {
  const backend::planning_engine engine;
  const auto on = engine.open(engine.devices().front());
  const auto program =
      programs::transform_program(engine, on, request::validated(spec, on->device()));
  for (const programs::step& each : program.steps) {
    const planner::pass* const launch = each.launch();
    if (launch == nullptr) continue;
    const auto report =
        backend::cuda::compile_for({.text = kernel_text::pass_text(*launch),
                                    .entry = std::string{kernel_text::entry_name},
                                    .threads = launch->shape().threads(),
                                    .scratch_bytes = launch->shape().scratch_bytes(),
                                    .path = "pass.cpp"},
                                   "sm_90");
    if (report.binary.empty()) return 1;
  }
  return 0;
}

TEST(line_kernels, compile_in_every_process) {
  const auto& found = backend::cuda::process_nvrtc();
  if (!found.problem.empty()) GTEST_SKIP() << found.problem;
  plan_spec spec{.lengths = {8, 8, 6}, .batch = {17, 5}, .kind = transform::dct2};
  spec.multiplier = test::numbered_multiplier(spec);
  for (int round = 0; round < 6; ++round) {
    EXPECT_EQ(test::exit_code_of(test::start_child([&] { return compile_all(spec); })), 0);
  }
}

}  // namespace
