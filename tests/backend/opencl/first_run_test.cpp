// SPDX-License-Identifier: Apache-2.0
// Law: the first run of a plan compiles nothing, not even on PoCL, which compiles at launches.
#include <gtest/gtest.h>

#include <algorithm>  // max
#include <atomic>

#include "backend/compilation.hpp"  // compile_observer
#include "wingbeat/wingbeat.hpp"

namespace {

using namespace wingbeat;

struct compilation_count final : backend::compile_observer {
  compilation_count() { backend::observe_compilations(this); }
  ~compilation_count() { backend::observe_compilations(nullptr); }
  void begin() noexcept override { ++n_begun; }
  void end() noexcept override {}

  std::atomic<int> n_begun = 0;
};

TEST(first_run, compiles_nothing) {
  if (devices(engine::opencl).empty()) GTEST_SKIP() << why_absent(engine::opencl);
  queue on{first_device(engine::opencl)};
  const compilation_count compilations;
  for (const plan_spec& spec :
       {plan_spec{.lengths = {96}, .batch = 3, .factor = 0.75},
        plan_spec{.lengths = {8}, .batch = 1 << 18, .factor = 0.75},  // PoCL has two sizes of grids
        plan_spec{.lengths = {96},
        .kind = transform::forward_from_real,
        .factor = 0.75,
        .where = placement::in_place}}) {
    const plan planned{on, spec};
    const int n_planned = compilations.n_begun;
    const bool in_place = spec.where == placement::in_place;
    const buffer in{on, std::max(input_bytes(spec), output_bytes(spec))},
        out{on, output_bytes(spec)};
    planned.enqueue(on, in.view(), in_place ? in.view() : out.view());
    on.wait();
    EXPECT_EQ(compilations.n_begun, n_planned) << spec.lengths.front();
  }
}

}  // namespace
