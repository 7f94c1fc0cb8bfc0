// SPDX-License-Identifier: Apache-2.0
// Layouts of the reference engine, each small enough to be followed by eye: transforms of length 2
// are a + b and a - b, and places that no plan may touch hold 99.
#include <gtest/gtest.h>

#include <limits>  // numeric_limits
#include <vector>

#include "support/memory.hpp"  // contents, filled, transformed
#include "wingbeat/wingbeat.hpp"

namespace {

using namespace wingbeat;
using numbers = std::vector<float>;

constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr float _ = 99;

/// Runs a request on `x` and returns an output that was 99 everywhere.
numbers run(const plan_spec& spec, const numbers& x) {
  return test::transformed(engine::reference, spec, x, _);
}

// Three rows of two complex numbers, imaginary parts 0: (1, 2), (3, 4), (5, 7).
const numbers rows{1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 7, 0};

TEST(layout, packed_rows_lie_one_behind_another) {
  EXPECT_EQ(run({.lengths = {2}, .batch = 3}, rows),
            (numbers{3, 0, -1, 0, 7, 0, -1, 0, 12, 0, -2, 0}));
}

TEST(layout, distances_leave_room_between_outputs) {
  EXPECT_EQ(run({.lengths = {2}, .batch = 3, .out = {.distances = {3}}}, rows),
            (numbers{3, 0, -1, 0, _, _, 7, 0, -1, 0, _, _, 12, 0, -2, 0}));
}

TEST(layout, interleaved_transforms_are_a_stride_and_a_distance) {
  // Columns of rows: (1, 4) and (2, 5) and (3, 7) lie as 1 2 3 4 5 7.
  const numbers columns{1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 7, 0};
  EXPECT_EQ(run({.lengths = {2}, .batch = 3, .in = {.strides = {3}, .distances = {1}}}, columns),
            (numbers{5, 0, -3, 0, 7, 0, -3, 0, 10, 0, -4, 0}));
}

TEST(layout, planes_hold_real_and_imaginary_parts) {
  const numbers planes{1, 2, 3, 4, 5, 7, 0, 0, 0, 0, 0, 0.5F};  // Im of the last is 0.5
  EXPECT_EQ(run({.lengths = {2}, .batch = 3, .in = {.imaginary_at = 6}}, planes),
            (numbers{3, 0, -1, 0, 7, 0, -1, 0, 12, 0.5F, -2, -0.5F}));
  EXPECT_EQ(run({.lengths = {2}, .batch = 3, .out = {.imaginary_at = 7}}, rows),
            (numbers{3, -1, 7, -1, 12, -2, _, 0, 0, 0, 0, 0, 0}));
}

TEST(layout, several_batch_dimensions_have_a_distance_each) {
  // [2][3] transforms of 2, the second dimension repeated: distance 0.
  const numbers x{1, 0, 2, 0, 3, 0, 5, 0};
  EXPECT_EQ(
      run({.lengths = {2}, .batch = {2, 3}, .in = {.distances = {2, 0}}}, x),
      (numbers{3, 0, -1, 0, 3, 0, -1, 0, 3, 0, -1, 0, 8, 0, -2, 0, 8, 0, -2, 0, 8, 0, -2, 0}));
}

TEST(layout, axes_may_be_exchanged_on_the_way) {
  // x = [[1, 2], [3, 5]]: sums by rows and columns are 11, -3 along the last, -5 along the first.
  const numbers x{1, 0, 2, 0, 3, 0, 5, 0};
  EXPECT_EQ(run({.lengths = {2, 2}}, x), (numbers{11, 0, -3, 0, -5, 0, 1, 0}));
  EXPECT_EQ(run({.lengths = {2, 2}, .out = {.strides = {1, 2}}}, x),
            (numbers{11, 0, -5, 0, -3, 0, 1, 0}));
}

TEST(layout, rows_of_real_transforms_count_reals_on_one_side_and_bins_on_the_other) {
  const numbers x{1, 2, _, 3, 5};
  EXPECT_EQ(run({.lengths = {2},
                 .batch = 2,
                 .kind = transform::forward_from_real,
                 .in = {.distances = {3}},
                 .out = {.strides = {2}, .distances = {1}}},
                x),
            (numbers{3, 0, 8, 0, -1, 0, -2, 0}));
}

TEST(range, elements_outside_are_taken_as_zero_and_not_read) {
  // Row r of (1, ?), the second half being padding that does not exist in memory's terms.
  const numbers x{1, 0, nan, nan, 3, 0, nan, nan};
  EXPECT_EQ(run({.lengths = {2}, .batch = 2, .valid_in = {{0, 1}}}, x),
            (numbers{1, 0, 1, 0, 3, 0, 3, 0}));
  EXPECT_EQ(run({.lengths = {2}, .batch = 1, .valid_in = {{1, 2}}}, {nan, nan, 4, 0}),
            (numbers{4, 0, -4, 0}));
}

TEST(range, buffers_end_where_the_last_element_in_memory_does) {
  const plan_spec spec{.lengths = {8},
                       .batch = 2,
                       .in = {.distances = {3}},
                       .valid_in = {{0, 3}},
                       .valid_out = {{0, 5}}};
  EXPECT_EQ(input_bytes(spec), 6 * 8U);
  EXPECT_EQ(output_bytes(spec), 13 * 8U);
}

TEST(range, elements_outside_are_not_written) {
  EXPECT_EQ(run({.lengths = {2}, .batch = 3, .valid_out = {{1, 2}}}, rows),
            (numbers{_, _, -1, 0, _, _, -1, 0, _, _, -2, 0}));
  const numbers x{1, 0, 2, 0, 3, 0, 5, 0};
  EXPECT_EQ(run({.lengths = {2, 2}, .valid_out = {{0, 2}, {0, 1}}}, x),
            (numbers{11, 0, _, _, -5, 0}));
}

TEST(in_place, rows_of_a_real_image_are_padded) {
  const plan_spec spec{
      .lengths = {2, 2}, .kind = transform::forward_from_real, .where = placement::in_place};
  queue on{first_device(engine::reference)};
  const buffer memory = test::filled(on, numbers{1, 2, nan, nan, 3, 5, nan, nan});
  plan{on, spec}.enqueue(on, memory.view(), memory.view());
  EXPECT_EQ(test::contents<float>(memory), (numbers{11, 0, -3, 0, -5, 0, 1, 0}));
}

}  // namespace
