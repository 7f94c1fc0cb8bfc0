// SPDX-License-Identifier: Apache-2.0
// Arrays between passes: which neighbours are read as one number, and how intermediate arrays are
// packed.
#include "planner/array.hpp"

#include <gtest/gtest.h>

namespace {

using namespace wingbeat;
using planner::array;
using planner::input_array;
using planner::output_array;
using planner::packed_array;
using planner::place;

std::vector<std::size_t> strides_of(const array& of) {
  std::vector<std::size_t> all;
  for (const auto& axis : of.axes) all.push_back(axis.stride);
  return all;
}

using steps = std::vector<std::size_t>;

TEST(array, is_as_the_request_states_for_complex_numbers) {
  const plan_spec spec{.lengths = {4, 8},
                       .batch = {3, 2},
                       .in = {.strides = {9, 1}, .distances = {100, 40}, .imaginary_at = 1000},
                       .valid_in = {{0, 4}, {2, 8}}};
  const array in = input_array(spec);
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
  const array out = output_array(spec);
  EXPECT_EQ(out.where, place::output);
  EXPECT_EQ(strides_of(out), (steps{8, 1}));
  EXPECT_FALSE(out.has_parts || out.axes[1].is_limited);
}

TEST(array, reads_neighbouring_reals_as_one_number_where_all_pairs_are_whole) {
  const auto of = [](plan_spec spec) {
    spec.lengths = {4, 16};
    spec.batch = 3;
    spec.kind = transform::forward_from_real;
    return input_array(spec);
  };
  const array packed = of({.lengths = {}});
  EXPECT_TRUE(packed.is_pairs);
  EXPECT_FALSE(packed.has_parts);
  EXPECT_EQ(packed.axes.back().length, 8U);
  EXPECT_EQ(strides_of(packed), (steps{8, 1}));
  EXPECT_EQ(packed.distances, (steps{32}));
  EXPECT_EQ(strides_of(of({.lengths = {}, .where = placement::in_place})), (steps{9, 1}))
      << "rows of 18 reals";

  // An odd pitch, a gap, a range through a pair, an odd distance: reals one by one.
  for (const plan_spec& spec : {plan_spec{.lengths = {}, .in = {.strides = {17, 1}}},
                                plan_spec{.lengths = {}, .in = {.strides = {40, 2}}},
                                plan_spec{.lengths = {}, .valid_in = {{0, 4}, {1, 16}}},
                                plan_spec{.lengths = {}, .in = {.distances = {65}}}}) {
    const array apart = of(spec);
    EXPECT_TRUE(apart.is_pairs && apart.has_parts);
    EXPECT_EQ(apart.axes.back().stride, 2 * apart.apart);
  }
  EXPECT_EQ(of({.lengths = {}, .in = {.strides = {17, 1}}}).apart, 1U);
  const array repeated = of({.lengths = {}, .in = {.strides = {16, 0}}});
  EXPECT_TRUE(repeated.has_parts) << "both of a pair are one real";
  EXPECT_EQ(repeated.apart, 0U);
}

TEST(array, packs_intermediate_arrays_in_the_precision_computed_with) {
  plan_spec spec{.lengths = {4, 16}, .batch = {3, 2}, .kind = transform::forward_from_real};
  spec.real = precision::fp16;
  const array made = packed_array(spec, output_array(spec), place::workspace_b);
  EXPECT_EQ(made.where, place::workspace_b);
  EXPECT_EQ(made.stored, precision::fp32);
  EXPECT_TRUE(made.holds_bins);
  EXPECT_EQ(strides_of(made), (steps{9, 1}));
  EXPECT_EQ(made.distances, (steps{72, 36}));
  EXPECT_EQ(made.elements(), 36U);

  spec.lengths = {4, 256};
  const array longer = packed_array(spec, output_array(spec), place::workspace_b);
  EXPECT_EQ(strides_of(longer), (steps{144, 1})) << "129 bins, rounded up to whole lines";
  spec.real = precision::fp64;
  const array wider = packed_array(spec, output_array(spec), place::workspace_b);
  EXPECT_EQ(strides_of(wider), (steps{136, 1})) << "of half as many elements";
  spec.lengths = {4, 16};

  spec.kind = transform::forward;
  spec.real = precision::fp64;
  const array even = packed_array(spec, output_array(spec), place::workspace_a);
  EXPECT_EQ(even.stored, precision::fp64);
  EXPECT_EQ(strides_of(even), (steps{16, 1}));
}

TEST(array, packs_alternating_transforms_side_by_side) {
  const auto is_inside = [](const plan_spec& spec) {
    return planner::has_batch_inside(input_array(spec), spec);
  };
  plan_spec spec{.lengths = {4, 16}, .batch = {3, 5}};
  EXPECT_FALSE(is_inside(spec));
  spec.in = {.strides = {240, 15}, .distances = {5, 1}};
  EXPECT_TRUE(is_inside(spec));
  spec.in = {.strides = {80, 5}, .distances = {320, 1}};
  EXPECT_FALSE(is_inside(spec)) << "of three blocks, each alternates";
  spec.batch = {1, 5};
  EXPECT_TRUE(is_inside(spec)) << "of one block";
  spec.batch = {3, 5};
  spec.in = {.strides = {16, 1}, .distances = {320, 64}};
  EXPECT_FALSE(is_inside(spec));

  const array made =
      packed_array(spec, output_array(spec), place::workspace_a, /*batch_inside=*/true);
  EXPECT_EQ(made.distances, (steps{5, 1}));
  EXPECT_EQ(strides_of(made), (steps{240, 15}));
  spec.batch = 129;
  const array odd =
      packed_array(spec, output_array(spec), place::workspace_a, /*batch_inside=*/true);
  EXPECT_EQ(odd.distances, (steps{1}));
  EXPECT_EQ(strides_of(odd), (steps{16 * 144, 144})) << "rounded up to whole lines";
}

}  // namespace
