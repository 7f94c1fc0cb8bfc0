// SPDX-License-Identifier: Apache-2.0
// Which launches begin early, and what they do without.
#include <gtest/gtest.h>

#include "planner/devices.hpp"      // hopper, ampere
#include "programs/transforms.hpp"  // make_program

namespace {

using namespace wingbeat;
using namespace wingbeat::test;
using namespace planner;
using programs::make_program;

TEST(early_launches, are_those_of_short_calls) {
  const auto passes = [](std::size_t n, std::size_t batch, const device_info& device) {
    return make_program(plan_spec{.lengths = {n}, .batch = batch}, device).passes();
  };
  constexpr std::size_t n = 1 << 14, row_bytes = 2 * 8 * n, most = std::size_t{64} << 20;
  for (const pass& each : passes(1 << 20, 1, hopper())) EXPECT_TRUE(each.numbers.starts_early);
  const pass longest = passes(n, most / row_bytes, hopper()).front();
  EXPECT_TRUE(longest.numbers.starts_early);
  EXPECT_EQ(longest.numbers.prefetch_tiles, 0U) << "it is in L2";
  EXPECT_FALSE(longest.out.streams) << "the same";
  const pass longer = passes(n, most / row_bytes + 1, hopper()).front();
  EXPECT_FALSE(longer.numbers.starts_early);
  EXPECT_GT(longer.numbers.prefetch_tiles, 0U);
  EXPECT_TRUE(longer.out.streams);
  plan_spec fused{.lengths = {n}};
  fused.load = {.in_bytes = 8 * n,
                .element_bytes = 8,
                .source = {.text = "struct yours {};", .type = "yours"}};
  EXPECT_FALSE(make_program(fused, hopper()).passes().front().numbers.starts_early)
      << "a functor's loads may move before the wait";
  EXPECT_FALSE(passes(n, 1, ampere()).front().numbers.starts_early) << "sm_80 cannot";
}

}  // namespace
