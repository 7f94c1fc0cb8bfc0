// SPDX-License-Identifier: Apache-2.0
// What a plan asks its compiler for, seen by a compiler that compiles nothing.
#include <gtest/gtest.h>

#include <complex>

#include "backend/kernel.hpp"   // kernel_compiler, make_compiled_plan
#include "planner/devices.hpp"  // hopper
#include "planner/recipe.hpp"   // make_recipe
#include "wingbeat/wingbeat.hpp"

namespace {

using namespace wingbeat;
using namespace wingbeat::test;

class empty_kernel final : public backend::kernel {
 public:
  explicit empty_kernel(int stack_bytes) : stack_bytes_(stack_bytes) {}
  kernel_resources resources() const override { return {.stack_bytes = stack_bytes_}; }
  void launch(backend::queue&, std::size_t, const backend::kernel_arguments&) const override {}

 private:
  int stack_bytes_;
};

/// Notes for how many workgroups at once each kernel is; a thread keeps `stack_bytes` in memory,
/// and with fewer workgroups `roomier_bytes`.
class noting_compiler final : public backend::kernel_compiler {
 public:
  noting_compiler(int stack_bytes, int roomier_bytes)
      : stack_bytes_(stack_bytes), roomier_bytes_(roomier_bytes) {}
  std::shared_ptr<const backend::kernel> compile(
      const std::shared_ptr<backend::queue>&, const backend::kernel_source& what) const override {
    resident.push_back(what.resident);
    texts.push_back(what.text);
    const bool is_first = resident.size() == 1;
    return std::make_shared<empty_kernel>(is_first ? stack_bytes_ : roomier_bytes_);
  }
  mutable std::vector<unsigned> resident;
  mutable std::vector<std::string> texts;

 private:
  int stack_bytes_, roomier_bytes_;
};

/// One transform of 2^16 points, in a cluster five of whose workgroups fill a multiprocessor.
int stack_of_plan(const noting_compiler& compiler, bool is_fused) {
  plan_spec what{.lengths = {1 << 16}};
  const std::size_t row_bytes = (std::size_t{1} << 16) * sizeof(std::complex<float>);
  if (is_fused) {
    what.load = {.in_bytes = row_bytes,
                 .element_bytes = sizeof(std::complex<float>),
                 .source = {.text = "struct yours {};", .type = "yours"}};
  }
  const wingbeat::queue host{devices(engine::host).front()};
  const auto made =
      backend::make_compiled_plan(compiler, host.impl(), planner::make_recipe(what, hopper()));
  return made->resources().front().stack_bytes;
}

using residents = std::vector<unsigned>;

TEST(compiled_plan, compiles_once_what_stays_in_registers) {
  const noting_compiler compiler{0, 0};
  EXPECT_EQ(stack_of_plan(compiler, true), 0);
  EXPECT_EQ(compiler.resident, (residents{5}));
}

TEST(compiled_plan, gives_a_functor_the_registers_of_one_workgroup) {
  const noting_compiler compiler{96, 8};
  EXPECT_EQ(stack_of_plan(compiler, true), 8);
  EXPECT_EQ(compiler.resident, (residents{5, 4}));
  EXPECT_NE(compiler.texts[0], compiler.texts[1]) << "the bound is in the text";
}

TEST(compiled_plan, keeps_all_workgroups_where_registers_do_not_help) {
  const noting_compiler compiler{96, 96};
  EXPECT_EQ(stack_of_plan(compiler, true), 96);
  const noting_compiler few{32, 0};
  EXPECT_EQ(stack_of_plan(few, true), 32);
  EXPECT_EQ(few.resident, (residents{5})) << "a few bytes cost less than a workgroup";
}

TEST(compiled_plan, takes_the_data_at_its_word_without_a_functor) {
  const noting_compiler compiler{96, 0};
  EXPECT_EQ(stack_of_plan(compiler, false), 96);
  EXPECT_EQ(compiler.resident, (residents{5}));
}

}  // namespace
