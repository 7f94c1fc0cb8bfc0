// SPDX-License-Identifier: Apache-2.0
// Passes whose stores a request leaves to few workgroups.
#include <gtest/gtest.h>

#include "planner/devices.hpp"      // hopper
#include "programs/transforms.hpp"  // make_program

namespace {

using namespace wingbeat;
using namespace wingbeat::test;
using namespace planner;
using programs::make_program;

constexpr std::size_t n = 1024, columns = 4096;

/// Columns that a functor stores.
plan_spec stored_by(std::size_t max_workgroups) {
  plan_spec spec{.lengths = {n}, .batch = columns};
  spec.in = {.strides = {columns}, .distances = {1}};
  spec.store = {.out_bytes = 8 * n * columns,
                .element_bytes = 8,
                .source = {.text = "struct yours {};", .type = "yours"},
                .max_workgroups = max_workgroups};
  return spec;
}

TEST(few_workgroups, make_the_tiles_of_a_store) {
  const auto launch = [](std::size_t max_workgroups, const device_info& device) {
    return make_program(stored_by(max_workgroups), device).passes().back();
  };
  EXPECT_GT(launch(0, hopper()).workgroups(), 64U);
  EXPECT_EQ(launch(64, hopper()).workgroups(), 64U);
  EXPECT_NE(launch(64, hopper()).describe().find("by 64 workgroups at most"), std::string::npos);
  EXPECT_EQ(launch(1 << 20, hopper()).workgroups(), launch(0, hopper()).workgroups());
  plan_spec plain = stored_by(64);
  plain.lengths = {n, columns};
  plain.batch = 1;
  plain.in = {};
  const auto passes = make_program(plain, hopper()).passes();
  ASSERT_EQ(passes.size(), 2U);
  EXPECT_GT(passes.front().workgroups(), 64U) << "what is not stored by the functor";
}

}  // namespace
