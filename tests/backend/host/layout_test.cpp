// SPDX-License-Identifier: Apache-2.0
// Layouts whose sizes host plans treat by themselves, with every instruction set; random_plans
// draws all others.
#include <gtest/gtest.h>

#include "backend/engine_plan_check.hpp"        // kinds_with_bins, expect_right_plan
#include "backend/host/on_instruction_set.hpp"  // on_instruction_set, every_instruction_set
#include "backend/host/plan.hpp"                // make_plan

namespace {

using namespace wingbeat;
using namespace wingbeat::test;

class host_layout : public on_instruction_set {};

TEST_P(host_layout, interleaves_batches_that_fill_vectors_and_leave_some) {
  for (const std::size_t n : {1, 4, 5, 16, 17, 131, 270}) {
    for (const std::size_t batch : {3, 19, 35}) {
      for (const transform kind : kinds_with_bins) {
        for (const precision real : {precision::fp32, precision::fp64, precision::bf16}) {
          plan_spec spec{.lengths = {n}, .batch = batch, .kind = kind, .real = real};
          spec.in = {.strides = {batch}, .distances = {1}};
          expect_right_plan(on, spec);
          spec.out = spec.in;
          expect_right_plan(on, spec);
        }
      }
    }
  }
}

TEST_P(host_layout, takes_batches_and_images_larger_than_the_cache) {
  expect_right_plan(on, {.lengths = {256, 256}, .batch = 5, .kind = transform::forward_from_real});
  expect_right_plan(on, {.lengths = {480, 640}, .kind = transform::inverse_to_real});
}

TEST_P(host_layout, takes_parts_that_are_neighbours) {
  plan_spec spec{.lengths = {32}, .batch = 3};
  spec.in = {.strides = {3}, .distances = {96}, .imaginary_at = 1};
  spec.out = {.strides = {2}, .distances = {64}, .imaginary_at = 1};
  expect_right_plan(on, spec);
  spec.in = {.strides = {1}, .distances = {32}, .imaginary_at = 2};  // numbers share their parts
  expect_right_plan(on, spec);
}

/// Columns beyond a strip, and rows of four steps whose ends are not plain.
TEST_P(host_layout, takes_columns_of_any_length) {
  for (const std::size_t n : {8192, 65536}) {
    for (const transform kind : kinds_with_bins) {
      plan_spec spec{.lengths = {n}, .batch = n == 8192 ? 11 : 1, .kind = kind};
      spec.in = {.strides = {spec.batch}, .distances = {1}};
      spec.out = {.strides = {3}, .distances = {3 * n + 5}};
      spec.valid_in = {{n / 8, n / 2}};
      expect_right_plan(on, spec);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(sets, host_layout, every_instruction_set(), name_of_set);

TEST(host_axes, are_named_in_words) {
  const auto& set = backend::host::supported_sets().front();
  plan_spec spec{.lengths = {64, 128}, .batch = 2};
  const auto packed = backend::host::make_plan(set, spec);
  EXPECT_EQ(packed->explain(),
            "axis 1: 128 points in cache, radices 16 x 8, 4 lanes\n"
            "axis 0: columns of 64 points, radices 8 x 8, 4 lanes");
  EXPECT_EQ(packed->traffic_bytes(), 2U * 2 * 64 * 128 * 8);  // the two passes meet in cache
  spec.real = precision::bf16;
  spec.valid_out = {{0, 1}, {0, 2}};
  const auto narrow = backend::host::make_plan(set, spec);
  EXPECT_EQ(narrow->explain(),
            "axis 1: gathered into tiles\n128 points in cache, radices 16 x 8, 4 lanes\n"
            "scattered from tiles\naxis 0: columns of 64 points, radices 8 x 8, 4 lanes\n"
            "scattered from tiles");
  EXPECT_EQ(narrow->traffic_bytes(), 2U * 64 * 128 * 4 + 2 * 2 * 4);
  EXPECT_GT(narrow->workspace_bytes(), 2U * 64 * 2 * 8) << "fp32 between the passes";
}

}  // namespace
