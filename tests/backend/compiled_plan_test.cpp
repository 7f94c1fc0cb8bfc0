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
  explicit empty_kernel(int spill_bytes) : spill_bytes_(spill_bytes) {}
  kernel_resources resources() const override {
    kernel_resources made;
    made.spill_bytes = spill_bytes_;
    return made;
  }
  void launch(backend::queue&, std::size_t, const backend::kernel_arguments&) const override {}

 private:
  int spill_bytes_;
};

/// Notes the texts it is given, of which the first spills `spill_bytes`, and others `later_bytes`.
class noting_compiler final : public backend::kernel_compiler {
 public:
  noting_compiler(int spill_bytes, int later_bytes)
      : spill_bytes_(spill_bytes), later_bytes_(later_bytes) {}
  std::shared_ptr<const backend::kernel> compile(
      const std::shared_ptr<backend::queue>&, const backend::kernel_source& what) const override {
    EXPECT_EQ(what.resident, 5U);
    texts.push_back(what.text);
    return std::make_shared<empty_kernel>(texts.size() == 1 ? spill_bytes_ : later_bytes_);
  }
  [[nodiscard]] bool loads_early(std::size_t i) const {
    return texts.at(i).find("bool full = true;") != std::string::npos;
  }
  mutable std::vector<std::string> texts;

 private:
  int spill_bytes_, later_bytes_;
};

/// One transform of 2^16 points, in a cluster five of whose workgroups fill a multiprocessor.
int spills_of_plan(const noting_compiler& compiler, bool is_fused) {
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
  return made->resources().front().spill_bytes;
}

TEST(compiled_plan, compiles_once_what_stays_in_registers) {
  const noting_compiler compiler{0, 0};
  EXPECT_EQ(spills_of_plan(compiler, true), 0);
  ASSERT_EQ(compiler.texts.size(), 1U);
  EXPECT_TRUE(compiler.loads_early(0));
}

TEST(compiled_plan, loads_later_where_a_functor_makes_it_spill) {
  const noting_compiler compiler{96, 8};
  EXPECT_EQ(spills_of_plan(compiler, true), 8);
  ASSERT_EQ(compiler.texts.size(), 2U);
  EXPECT_TRUE(compiler.loads_early(0));
  EXPECT_FALSE(compiler.loads_early(1));
}

TEST(compiled_plan, loads_early_where_loading_later_spills_as_much) {
  const noting_compiler compiler{96, 96};
  EXPECT_EQ(spills_of_plan(compiler, true), 96);
  const noting_compiler worse{8, 16};
  EXPECT_EQ(spills_of_plan(worse, true), 8);
}

TEST(compiled_plan, takes_the_shape_at_its_word_without_a_functor) {
  const noting_compiler compiler{96, 0};
  EXPECT_EQ(spills_of_plan(compiler, false), 96);
  EXPECT_EQ(compiler.texts.size(), 1U);
}

}  // namespace
