// SPDX-License-Identifier: Apache-2.0
// Arrays between passes: which neighbours are read as one number, and how what lies between is
// packed.
#include "planner/lattice.hpp"

#include <gtest/gtest.h>

namespace {

using namespace wingbeat;
using planner::input_lattice;
using planner::lattice;
using planner::output_lattice;
using planner::packed_lattice;
using planner::place;

std::vector<std::size_t> strides_of(const lattice& of) {
  std::vector<std::size_t> all;
  for (const auto& axis : of.axes) all.push_back(axis.stride);
  return all;
}

using steps = std::vector<std::size_t>;

TEST(lattice, is_what_the_request_says_of_complex_numbers) {
  const plan_spec what{.lengths = {4, 8},
                       .batch = {3, 2},
                       .in = {.strides = {9, 1}, .distances = {100, 40}, .imaginary_at = 1000},
                       .valid_in = {{0, 4}, {2, 8}}};
  const lattice in = input_lattice(what);
  EXPECT_EQ(in.where, place::input);
  EXPECT_EQ(strides_of(in), (steps{9, 1}));
  EXPECT_EQ(in.distances, (steps{100, 40}));
  EXPECT_TRUE(in.has_parts);
  EXPECT_EQ(in.apart, 1000U);
  EXPECT_FALSE(in.is_pairs);
  EXPECT_FALSE(in.axes[0].is_limited);
  EXPECT_TRUE(in.axes[1].is_limited);
  EXPECT_EQ(in.axes[1].valid.first, 2U);
  EXPECT_EQ(in.elements(), 32U);
  const lattice out = output_lattice(what);
  EXPECT_EQ(out.where, place::output);
  EXPECT_EQ(strides_of(out), (steps{8, 1}));
  EXPECT_FALSE(out.has_parts || out.axes[1].is_limited);
}

TEST(lattice, reads_neighbouring_reals_as_one_number_where_all_pairs_are_whole) {
  const auto of = [](plan_spec what) {
    what.lengths = {4, 16};
    what.batch = 3;
    what.kind = transform::forward_from_real;
    return input_lattice(what);
  };
  const lattice packed = of({.lengths = {}});
  EXPECT_TRUE(packed.is_pairs);
  EXPECT_FALSE(packed.has_parts);
  EXPECT_EQ(packed.axes.back().length, 8U);
  EXPECT_EQ(strides_of(packed), (steps{8, 1}));
  EXPECT_EQ(packed.distances, (steps{32}));
  EXPECT_EQ(strides_of(of({.lengths = {}, .where = placement::in_place})), (steps{9, 1}))
      << "rows of 18 reals";

  // An odd pitch, a gap, a range through a pair, an odd distance: reals one by one.
  for (const plan_spec& what : {plan_spec{.lengths = {}, .in = {.strides = {17, 1}}},
                                plan_spec{.lengths = {}, .in = {.strides = {40, 2}}},
                                plan_spec{.lengths = {}, .valid_in = {{0, 4}, {1, 16}}},
                                plan_spec{.lengths = {}, .in = {.distances = {65}}}}) {
    const lattice apart = of(what);
    EXPECT_TRUE(apart.is_pairs && apart.has_parts);
    EXPECT_EQ(apart.axes.back().stride, 2 * apart.apart);
  }
  EXPECT_EQ(of({.lengths = {}, .in = {.strides = {17, 1}}}).apart, 1U);
  const lattice repeated = of({.lengths = {}, .in = {.strides = {16, 0}}});
  EXPECT_TRUE(repeated.has_parts) << "both of a pair are one real";
  EXPECT_EQ(repeated.apart, 0U);
}

TEST(lattice, packs_what_lies_between_in_the_precision_computed_with) {
  plan_spec what{.lengths = {4, 16}, .batch = {3, 2}, .kind = transform::forward_from_real};
  what.real = precision::fp16;
  const lattice made = packed_lattice(what, output_lattice(what), place::workspace_b);
  EXPECT_EQ(made.where, place::workspace_b);
  EXPECT_EQ(made.stored, precision::fp32);
  EXPECT_TRUE(made.holds_bins);
  EXPECT_EQ(strides_of(made), (steps{9, 1}));
  EXPECT_EQ(made.distances, (steps{72, 36}));
  EXPECT_EQ(made.elements(), 36U);

  what.lengths = {4, 256};
  const lattice longer = packed_lattice(what, output_lattice(what), place::workspace_b);
  EXPECT_EQ(strides_of(longer), (steps{144, 1})) << "129 bins, rounded up to whole lines";
  what.real = precision::fp64;
  const lattice wider = packed_lattice(what, output_lattice(what), place::workspace_b);
  EXPECT_EQ(strides_of(wider), (steps{136, 1})) << "of half as many elements";
  what.lengths = {4, 16};

  what.kind = transform::forward;
  what.real = precision::fp64;
  const lattice even = packed_lattice(what, output_lattice(what), place::workspace_a);
  EXPECT_EQ(even.stored, precision::fp64);
  EXPECT_EQ(strides_of(even), (steps{16, 1}));
}

TEST(lattice, packs_alternating_transforms_side_by_side) {
  const auto is_inside = [](const plan_spec& what) {
    return planner::has_batch_inside(input_lattice(what), what);
  };
  plan_spec what{.lengths = {4, 16}, .batch = {3, 5}};
  EXPECT_FALSE(is_inside(what));
  what.in = {.strides = {240, 15}, .distances = {5, 1}};
  EXPECT_TRUE(is_inside(what));
  what.in = {.strides = {80, 5}, .distances = {320, 1}};
  EXPECT_FALSE(is_inside(what)) << "of three blocks, each alternates";
  what.batch = {1, 5};
  EXPECT_TRUE(is_inside(what)) << "of one block";
  what.batch = {3, 5};
  what.in = {.strides = {16, 1}, .distances = {320, 64}};
  EXPECT_FALSE(is_inside(what));

  const lattice made =
      packed_lattice(what, output_lattice(what), place::workspace_a, /*batch_inside=*/true);
  EXPECT_EQ(made.distances, (steps{5, 1}));
  EXPECT_EQ(strides_of(made), (steps{240, 15}));
  what.batch = 129;
  const lattice odd =
      packed_lattice(what, output_lattice(what), place::workspace_a, /*batch_inside=*/true);
  EXPECT_EQ(odd.distances, (steps{1}));
  EXPECT_EQ(strides_of(odd), (steps{16 * 144, 144})) << "rounded up to whole lines";
}

}  // namespace
