// SPDX-License-Identifier: Apache-2.0
// Law: plans whose kernels were compiled ahead add no entry to the kernel cache.
#include "wingbeat/compile_ahead.hpp"

#include <gtest/gtest.h>

#include <algorithm>  // count_if
#include <cstdlib>    // setenv
#include <filesystem>
#include <mutex>
#include <set>
#include <string>
#include <utility>  // exchange
#include <vector>

#include "backend/cuda/nvrtc.hpp"         // compile_for, process_nvrtc
#include "backend/kernel_cache.hpp"       // kernel_cache
#include "backend/planning_engine.hpp"    // planning_engine
#include "programs/prepared_program.hpp"  // compile_transforms, prepared_program
#include "programs/real_transforms.hpp"   // transform_program
#include "request/validation.hpp"         // validated
#include "support/folder.hpp"             // folder
#include "wingbeat/wingbeat.hpp"

namespace {

using namespace wingbeat;

/// Has a kernel cache of its own, where other tests of the machine add no entries meanwhile.
class compile_ahead_cache : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { ::setenv("WINGBEAT_CACHE", own_folder().path().c_str(), 1); }
  void SetUp() override {
    if (devices(engine::opencl).empty()) GTEST_SKIP() << why_absent(engine::opencl);
    if (backend::kernel_cache::shared().directory() != own_folder().path()) {
      GTEST_SKIP() << "another test of this process opened the cache";
    }
  }
  static test::folder& own_folder() {
    static test::folder own;
    return own;
  }
};

std::ptrdiff_t entries() {
  const auto& folder = backend::kernel_cache::shared().directory();
  if (folder.empty()) return 0;
  const std::filesystem::directory_iterator files{folder};
  return std::count_if(begin(files), end(files),
                       [](const auto& each) { return each.path().extension() == ".kernel"; });
}

TEST_F(compile_ahead_cache, is_filled_for_plans) {
  const queue on{first_device(engine::opencl)};
  // Not planned by other tests: entries are new. The second and the third have one text.
  const std::vector<plan_spec> specs{{.lengths = {88}, .batch = 7, .factor = 0.8125},
                                     {.lengths = {78}, .batch = 5, .factor = 0.8125},
                                     {.lengths = {78}, .batch = 5, .factor = 0.8125},
                                     {.lengths = {6, 22}, .factor = 0.8125}};
  compile_ahead(on, specs);
  const auto before = entries();
  EXPECT_GE(before, 3);
  for (const plan_spec& spec : specs) EXPECT_GT(plan(on, spec).traffic_bytes(), 0u);
  EXPECT_EQ(entries(), before);
}

TEST_F(compile_ahead_cache, is_filled_for_convolutions) {
  const queue on{first_device(engine::opencl)};
  const std::vector<convolution_spec> specs{{.image = {61}, .kernel = {7}, .images = 3},
                                            {.image = {41, 37}, .kernel = {5, 6}}};
  const auto without = entries();
  compile_ahead(on, specs);
  const auto before = entries();
  EXPECT_GT(before, without);
  for (const auto& spec : specs) EXPECT_GT(convolution(on, spec).traffic_bytes(), 0u);
  EXPECT_EQ(entries(), before);
}

class unlaunched_kernel final : public backend::kernel {
  [[nodiscard]] kernel_resources resources() const override { return {}; }
  void launch(backend::queue&, std::size_t, backend::kernel_arguments) const override {}
};

/// Plans for an H200 that is not here, compiles for it where there is NVRTC, and notes the texts.
class noting_engine final : public backend::planning_engine {
 public:
  [[nodiscard]] std::shared_ptr<const backend::kernel> compile(
      const std::shared_ptr<backend::queue>&, const backend::kernel_source& source) const override {
    if (compiles && backend::cuda::process_nvrtc().problem.empty()) {
      EXPECT_GT(backend::cuda::compile_for(source, "sm_90").figures.registers, 0);
    }
    const std::lock_guard held{mutex};
    texts.insert(source.text);
    return std::make_shared<unlaunched_kernel>();
  }

  bool compiles = true;
  mutable std::mutex mutex;
  mutable std::set<std::string> texts;
};

TEST(compile_ahead, compiles_what_plans_for_an_absent_gpu_ask_for) {
  noting_engine engine;
  const auto on = engine.open(engine.devices().front());
  const std::vector<plan_spec> specs{{.lengths = {64}, .batch = 64},
                                     {.lengths = {1 << 17}},
                                     {.lengths = {1009}, .batch = 7, .real = precision::fp64},
                                     {.lengths = {60}, .batch = 9, .kind = transform::dct2}};
  programs::compile_transforms(engine, on, specs);
  const auto ahead = std::exchange(engine.texts, {});
  EXPECT_EQ(ahead.size(), 5u);  // 2^17 takes two passes
  engine.compiles = false;
  for (const plan_spec& spec : specs) {
    const programs::prepared_program planned{
        engine, on,
        programs::transform_program(engine, on, request::validated(spec, on->device()))};
  }
  EXPECT_EQ(engine.texts, ahead);
}

TEST(compile_ahead, does_nothing_where_no_kernels_are_compiled) {
  compile_ahead(queue{first_device(engine::host)}, std::vector<plan_spec>{});
  compile_ahead(queue{first_device(engine::host)},
                std::vector<convolution_spec>{{.image = {64}, .kernel = {3}}});
  compile_ahead(queue{first_device(engine::host)}, std::vector<plan_spec>{{.lengths = {64}}});
}

TEST(compile_ahead, refuses_as_a_plan_does) {
  const queue on{first_device(engine::host)};
  const std::vector<plan_spec> specs{{.lengths = {64}}, {.lengths = {}}, {.lengths = {0}}};
  std::string expected;
  try {
    const plan refused{on, specs[1]};
  } catch (const plan_error& refusal) {
    expected = refusal.what();
  }
  try {
    compile_ahead(on, specs);
    FAIL() << "nothing was refused";
  } catch (const plan_error& refusal) {
    EXPECT_EQ(refusal.what(), expected);
  }
}

}  // namespace
