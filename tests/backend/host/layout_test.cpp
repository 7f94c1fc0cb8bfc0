// SPDX-License-Identifier: Apache-2.0
// Several axes, batch dimensions, strides, planar numbers and ranges, every kind and precision with
// every instruction set, against the separable transform in long double. What is not to be read is
// NaN, what is not to be written is looked at afterwards.
#include <gtest/gtest.h>

#include <vector>

#include "backend/host/placed_run.hpp"  // check, check_kinds_and_precisions

namespace {

using namespace wingbeat;
using namespace wingbeat::test;

bool is_real_side(transform kind, bool is_input) {
  return kind == (is_input ? transform::forward_from_real : transform::inverse_to_real);
}

/// Returns the lengths of one side: the last of a half spectrum is N/2+1.
std::vector<std::size_t> side_lengths(const plan_spec& spec, bool is_input) {
  auto result = spec.lengths;
  if (request::traits_of(spec.kind).is_real() && !is_real_side(spec.kind, is_input))
    result.back() = result.back() / 2 + 1;
  return result;
}

/// Returns axes in the order `fastest first`, then batches, each `gap` units longer than needed.
memory_layout spread(const plan_spec& spec, bool is_input, const std::vector<std::size_t>& order,
                     std::size_t first_stride, std::size_t gap) {
  const auto lengths = side_lengths(spec, is_input);
  memory_layout layout;
  layout.strides.resize(lengths.size());
  std::size_t stride = first_stride;
  for (const std::size_t axis : order) {
    layout.strides[axis] = stride;
    stride = stride * lengths[axis] + gap;
  }
  const auto& counts = spec.batch.counts();
  layout.distances.resize(counts.size());
  for (std::size_t b = counts.size(); b-- > 0; stride = stride * counts[b] + gap) {
    layout.distances[b] = stride;
  }
  return layout;
}

TEST(host_axes, are_transformed_one_after_another) {
  for (const auto& lengths : std::vector<std::vector<std::size_t>>{
           {2, 2}, {4, 32}, {64, 8}, {16, 128}, {2, 4, 8}, {8, 16, 2}, {16, 2, 32}}) {
    check_kinds_and_precisions({.lengths = lengths, .scale = scaling::by_sqrt_length});
  }
}

TEST(host_axes, may_stay_in_their_place) {
  for (const transform kind : kinds) {
    for (const precision real : precisions) {
      for (const auto& lengths : std::vector<std::vector<std::size_t>>{{16}, {8, 16}, {4, 8, 8}}) {
        const plan_spec spec{.lengths = lengths,
                             .batch = {3, 2},
                             .kind = kind,
                             .real = real,
                             .where = placement::in_place};
        check(spec, true);
        check(spec, false);
      }
    }
  }
}

TEST(host_axes, take_batches_larger_than_what_stays_in_cache) {
  const auto& set = backend::host::supported_sets().back();
  const plan_spec spec{.lengths = {256, 256}, .batch = 17, .kind = transform::forward_from_real};
  SCOPED_TRACE(described(set, spec));
  expect_placed(spec, placed_run(set, spec));
}

TEST(host_batches, have_several_dimensions) {
  check_kinds_and_precisions({.lengths = {32}, .batch = {3, 2, 5}});
  check_kinds_and_precisions({.lengths = {8, 16}, .batch = {2, 3}});
}

TEST(host_batches, may_interleave) {
  for (const std::size_t n : {1, 4, 5, 12, 16, 100, 128, 270}) {
    for (const std::size_t batch : {3, 19}) {
      const memory_layout interleaved{.strides = {batch}, .distances = {1}};
      plan_spec spec{.lengths = {n}, .batch = batch};
      spec.in = interleaved;
      check_kinds_and_precisions(spec);
      spec.out = interleaved;
      check_kinds_and_precisions(spec);
      spec.in = {};
      check_kinds_and_precisions(spec);
    }
  }
}

TEST(host_batches, may_share_one_input) {
  plan_spec spec{.lengths = {8, 32}, .batch = {3, 2}};
  for (const transform kind : kinds) {
    spec.kind = kind;
    const auto lengths = side_lengths(spec, true);
    spec.in.distances = {lengths[0] * lengths[1], 0};
    check(spec);
    spec.in.distances = {0, 0};
    check(spec);
  }
}

TEST(host_strides, may_be_any) {
  plan_spec spec{.lengths = {8, 4, 16}, .batch = {2, 3}};
  for (const transform kind : kinds) {
    spec.kind = kind;
    for (const precision real : {precision::fp32, precision::fp64, precision::fp16}) {
      spec.real = real;
      spec.in = spread(spec, true, {2, 1, 0}, 1, 3);  // rows with an odd gap
      spec.out = spread(spec, false, {1, 2, 0}, 3, 5);
      check(spec);
      spec.in = spread(spec, true, {0, 2, 1}, 2, 1);
      spec.out = spread(spec, false, {0, 1, 2}, 1, 0);  // transposed
      check(spec);
    }
  }
}

TEST(host_strides, may_be_the_same_in_place) {
  plan_spec spec{.lengths = {16, 32}, .batch = 3};
  for (const auto& order : std::vector<std::vector<std::size_t>>{{1, 0}, {0, 1}}) {
    for (const std::size_t imaginary_at : {0, 1 << 14}) {
      spec.in = spread(spec, true, order, 2, 3);
      spec.in.imaginary_at = imaginary_at;
      spec.out = spec.in;
      for (const precision real : precisions) {
        spec.real = real;
        check(spec, true);
      }
    }
  }
}

TEST(host_planar, numbers_are_read_and_written) {
  for (const auto& lengths : std::vector<std::vector<std::size_t>>{{64}, {16, 32}, {4, 8, 16}}) {
    for (const transform kind : kinds) {
      plan_spec spec{.lengths = lengths, .batch = 5, .kind = kind};
      if (!is_real_side(kind, true)) spec.in.imaginary_at = 8191;
      if (!is_real_side(kind, false)) spec.out.imaginary_at = 4099;
      for (const precision real : precisions) {
        spec.real = real;
        check(spec);
      }
    }
  }
}

TEST(host_planar, parts_may_be_neighbours) {
  plan_spec spec{.lengths = {32}, .batch = 3};
  spec.in = {.strides = {3}, .distances = {96}, .imaginary_at = 1};
  spec.out = {.strides = {2}, .distances = {64}, .imaginary_at = 1};
  check(spec);
  spec.in = {.strides = {1}, .distances = {32}, .imaginary_at = 2};  // numbers share their parts
  check(spec);
}

TEST(host_ranges, outside_are_neither_read_nor_written) {
  plan_spec spec{.lengths = {16, 8, 32}, .batch = 2};
  for (const transform kind : kinds) {
    spec.kind = kind;
    for (const precision real : precisions) {
      spec.real = real;
      spec.valid_in = {{3, 9}, {0, 5}, {2, 17}};
      spec.valid_out = {};
      check(spec);
      spec.valid_out = {{15, 16}, {1, 8}, {0, 11}};
      check(spec);
      spec.valid_in = {};
      check(spec);
    }
  }
}

TEST(host_ranges, crop_rows_and_columns_of_one_axis) {
  for (const std::size_t n : {16, 64, 512}) {
    for (const transform kind : kinds) {
      plan_spec spec{.lengths = {n}, .batch = 19, .kind = kind};
      spec.valid_in = {{1, n / 2}};
      spec.valid_out = {{n / 4, n / 2 + 1}};
      check(spec);
      spec.in = {.strides = {19}, .distances = {1}};
      spec.out = spec.in;
      check(spec);
      if (!request::traits_of(kind).is_real()) {
        spec.valid_in = spec.valid_out;
        check(spec, true);
      }
    }
  }
}

TEST(host_ranges, go_with_strides_and_planes) {
  plan_spec spec{.lengths = {8, 64}, .batch = {2, 2}, .kind = transform::inverse_to_real};
  spec.in = spread(spec, true, {0, 1}, 1, 1);
  spec.in.imaginary_at = 7001;
  spec.out = spread(spec, false, {1, 0}, 1, 7);
  spec.valid_in = {{0, 8}, {4, 32}};
  spec.valid_out = {{2, 7}, {1, 63}};
  for (const precision real : precisions) {
    spec.real = real;
    check(spec);
  }
}

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

/// Columns beyond a strip, and rows of four steps whose ends are not plain.
TEST(host_layout, takes_columns_of_any_length) {
  const auto& set = backend::host::supported_sets().back();
  for (const std::size_t n : {8192, 65536}) {
    for (const transform kind : kinds) {
      for (const std::size_t batch : {1, 11}) {
        if (batch > 1 && n > 8192) continue;  // slow to check
        plan_spec spec{.lengths = {n}, .batch = batch, .kind = kind};
        spec.in = {.strides = {batch}, .distances = {1}};
        spec.out = {.strides = {3}, .distances = {3 * n + 5}};
        spec.valid_in = {{n / 8, n / 2}};
        SCOPED_TRACE(described(set, spec));
        expect_placed(spec, placed_run(set, spec));
      }
    }
  }
}

}  // namespace
