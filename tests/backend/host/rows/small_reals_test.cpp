// SPDX-License-Identifier: Apache-2.0
// Short transforms from reals to reals by matrices, on one and several axes, in few and in many
// lanes; and which requests they take.
#include "backend/host/rows/small_reals.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "request/traits.hpp"      // kinds
#include "support/plan_check.hpp"  // expect_right_plan
#include "wingbeat/wingbeat.hpp"

namespace {

using namespace wingbeat;

void expect_right(const plan_spec& spec) {
  queue on{first_device(engine::host)};
  test::expect_right_plan(on, spec);
}

TEST(small_reals, are_the_sums_of_each_kind_in_few_lanes_and_in_many) {
  for (const request::traits& kind : request::kinds) {
    if (!kind.is_real_to_real()) continue;
    for (std::size_t n = kind.min_length(); n <= 16; ++n) {
      for (const std::size_t batch : {1U, 2U, 7U, 21U}) {
        for (const std::size_t stride : {1U, 2U}) {
          const memory_layout layout{.strides = {stride}, .distances = {stride * n + 1}};
          expect_right({.lengths = {n},
                        .batch = batch,
                        .kind = kind.kind,
                        .real = precision::fp64,
                        .orthogonalize = batch == 7 && kind.functions != request::basis::cas,
                        .in = layout,
                        .out = layout});
        }
      }
    }
  }
}

TEST(small_reals, take_several_axes_of_kinds_of_their_own) {
  expect_right({.lengths = {3, 5, 8},
                .batch = 9,
                .kind = transform::dct4,
                .axis_kinds = {transform::dct1, transform::dst2, transform::dct4},
                .real = precision::fp64,
                .scale = scaling::by_sqrt_length});
}

TEST(small_reals, share_many_blocks_among_threads) {
  const memory_layout blocks{.strides = {512, 1}, .distances = {8 * 512, 8}};
  expect_right({.lengths = {8, 8},
                .batch = {32, 64},
                .kind = transform::dct2,
                .real = precision::fp64,
                .in = blocks,
                .out = blocks});
}

TEST(small_reals, are_made_of_short_axes_alone) {
  const auto makes = [](const plan_spec& spec) {
    return backend::host::make_small_reals(backend::host::chosen_set(), spec) != nullptr;
  };
  const memory_layout apart{.strides = {2}};
  EXPECT_TRUE(makes({.lengths = {16}, .kind = transform::dct2}));
  EXPECT_TRUE(makes({.lengths = {16}, .kind = transform::dct2, .in = apart, .out = apart}));
  EXPECT_TRUE(makes({.lengths = {8, 8, 8}, .kind = transform::dct2}));
  EXPECT_TRUE(makes({.lengths = {64}, .kind = transform::dct2}));
  EXPECT_FALSE(makes({.lengths = {64}, .batch = 64, .kind = transform::dct2}));
  EXPECT_FALSE(makes({.lengths = {17}, .kind = transform::dct2, .in = apart, .out = apart}));
  EXPECT_FALSE(makes({.lengths = {16, 16, 16}, .kind = transform::dct2}));
  EXPECT_FALSE(makes({.lengths = {8}, .kind = transform::forward_from_real}));
  queue on{first_device(engine::host)};
  EXPECT_THAT((plan{on, {.lengths = {8, 8}, .kind = transform::dst3}}.explain()),
              ::testing::HasSubstr("dst3 of 8x8 reals by matrices"));
  EXPECT_THAT((plan{on, {.lengths = {64}, .kind = transform::dst3}}.explain()),
              ::testing::HasSubstr("dst3 of 64 reals by a matrix of 64 terms"));
}

}  // namespace
