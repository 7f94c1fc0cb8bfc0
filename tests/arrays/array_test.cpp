// SPDX-License-Identifier: Apache-2.0
// The arrays at the ends of passes: every real of random requests lies where the layout says; which
// neighbours are read as one number; how rows are packed.
#include "arrays/array.hpp"

#include <gtest/gtest.h>

#include <map>

#include "arrays/walk.hpp"
#include "request/resolved.hpp"     // input_array, output_array
#include "support/random_plan.hpp"  // random_plan, as_initialiser

namespace {

using namespace wingbeat;
using namespace wingbeat::test;
using namespace arrays;

array input_of(const plan_spec& spec) {
  return as_pairs(request::input_array(spec));
}
array output_of(const plan_spec& spec) {
  return as_pairs(request::output_array(spec));
}

std::vector<std::size_t> strides_of(const array& source) {
  std::vector<std::size_t> result;
  for (const auto& axis : source.axes) result.push_back(axis.stride);
  return result;
}

std::vector<std::size_t> distances_of(const array& source) {
  std::vector<std::size_t> result;
  for (const auto& batch : source.batches) result.push_back(batch.distance);
  return result;
}

using steps = std::vector<std::size_t>;

/// Places may repeat where a layout repeats elements: all of them are compared.
TEST(array, has_every_real_where_the_layout_says) {
  std::map<element, int> n_drawn;
  int n_with_parts = 0, n_inside = 0, n_limited = 0;
  for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
    const plan_spec spec = random_plan(seed, {.max_points = 1 << 9, .longest_axis = 1 << 9}).spec;
    SCOPED_TRACE("seed " + std::to_string(seed) + " " + as_initialiser(spec));
    for (const bool has_pairs : {false, true}) {
      for (const bool is_input : {true, false}) {
        array side = is_input ? request::input_array(spec) : request::output_array(spec);
        if (has_pairs) side = as_pairs(side);
        ASSERT_EQ(sorted(places_of(side)), sorted(places_of(spec, is_input)));
        const auto& layout = is_input ? spec.in : spec.out;
        EXPECT_EQ(side.stored, layout.stored.value_or(spec.real));
        ++n_drawn[side.elements_are];
        n_with_parts += side.has_parts && side.elements_are == element::pair;
        n_inside += side.has_batch_inside();
        for (const auto& axis : side.axes) n_limited += axis.is_limited;
      }
    }
  }
  for (const element each : {element::complex, element::real, element::pair}) {
    EXPECT_GE(n_drawn[each], 500);
  }
  EXPECT_GE(n_with_parts, 100);
  EXPECT_GE(n_inside, 100);
  EXPECT_GE(n_limited, 500);
}

TEST(array, is_as_the_request_states_for_complex_numbers) {
  const plan_spec spec{.lengths = {4, 8},
                       .batch = {3, 2},
                       .in = {.strides = {9, 1}, .distances = {100, 40}, .imaginary_at = 1000},
                       .valid_in = {{0, 4}, {2, 8}}};
  const array in = input_of(spec);
  EXPECT_EQ(in.location, place::input);
  EXPECT_EQ(strides_of(in), (steps{9, 1}));
  EXPECT_EQ(distances_of(in), (steps{100, 40}));
  EXPECT_TRUE(in.has_parts);
  EXPECT_EQ(in.parts_distance, 1000U);
  EXPECT_EQ(in.elements_are, element::complex);
  EXPECT_FALSE(in.axes[0].is_limited);
  EXPECT_TRUE(in.axes[1].is_limited);
  EXPECT_EQ(in.axes[1].valid.first, 2U);
  EXPECT_EQ(in.elements(), 32U);
  const array out = output_of(spec);
  EXPECT_EQ(out.location, place::output);
  EXPECT_EQ(strides_of(out), (steps{8, 1}));
  EXPECT_FALSE(out.has_parts || out.axes[1].is_limited);
}

TEST(array, reads_neighbouring_reals_as_one_number_where_all_pairs_are_whole) {
  const auto arrays_of = [](plan_spec spec) {
    spec.lengths = {4, 16};
    spec.batch = 3;
    spec.kind = transform::forward_from_real;
    return input_of(spec);
  };
  const array whole = arrays_of({.lengths = {}});
  EXPECT_EQ(whole.elements_are, element::pair);
  EXPECT_FALSE(whole.has_parts);
  EXPECT_EQ(whole.axes.back().length, 8U);
  EXPECT_EQ(strides_of(whole), (steps{8, 1}));
  EXPECT_EQ(distances_of(whole), (steps{32}));
  EXPECT_EQ(strides_of(arrays_of({.lengths = {}, .where = placement::in_place})), (steps{9, 1}))
      << "rows of 18 reals";

  // An odd pitch, a gap, a range through a pair, an odd distance: reals one by one.
  for (const plan_spec& spec : {plan_spec{.lengths = {}, .in = {.strides = {17, 1}}},
                                plan_spec{.lengths = {}, .in = {.strides = {40, 2}}},
                                plan_spec{.lengths = {}, .valid_in = {{0, 4}, {1, 16}}},
                                plan_spec{.lengths = {}, .in = {.distances = {65}}}}) {
    const array apart = arrays_of(spec);
    EXPECT_TRUE(apart.elements_are == element::pair && apart.has_parts);
    EXPECT_EQ(apart.axes.back().stride, 2 * apart.parts_distance);
  }
  EXPECT_EQ(arrays_of({.lengths = {}, .in = {.strides = {17, 1}}}).parts_distance, 1U);
  const array repeated = arrays_of({.lengths = {}, .in = {.strides = {16, 0}}});
  EXPECT_TRUE(repeated.has_parts) << "both of a pair are one real";
  EXPECT_EQ(repeated.parts_distance, 0U);
}

TEST(array, is_packed_with_padded_rows) {
  const plan_spec spec{.lengths = {4, 256}, .batch = {3, 2}, .kind = transform::forward_from_real};
  const auto packed = [&](bool batch_inside, const arrays::row_padding& padding) {
    array result = output_of(spec);
    arrays::pack(result, batch_inside, padding);
    return result;
  };
  const array dense = packed(false, {});
  EXPECT_EQ(strides_of(dense), (steps{129, 1}));
  EXPECT_EQ(distances_of(dense), (steps{2 * 4 * 129, 4 * 129}));
  EXPECT_EQ(dense.bytes(), 6 * 4 * 129 * 8U);
  EXPECT_EQ(strides_of(packed(false, {.multiple_of_odd = 16, .shortest_odd = 129})),
            (steps{144, 1}));
  EXPECT_EQ(strides_of(packed(false, {.multiple_of_odd = 16, .shortest_odd = 130})),
            (steps{129, 1}));
  EXPECT_EQ(strides_of(packed(false, {.crowded_multiple = 43, .gap = 8})), (steps{137, 1}));
  EXPECT_EQ(strides_of(packed(false, {.crowded_multiple = 42, .gap = 8})), (steps{129, 1}));

  const array inside = packed(true, {.crowded_multiple = 3, .gap = 10});
  EXPECT_EQ(distances_of(inside), (steps{2, 1}));
  EXPECT_EQ(strides_of(inside), (steps{16 * 129, 16})) << "six transforms, padded";
  EXPECT_EQ(inside.bytes(), 4 * 16 * 129 * 8U);
}

TEST(array, tells_where_transforms_alternate) {
  const auto is_inside = [](const plan_spec& spec) { return input_of(spec).has_batch_inside(); };
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
}

}  // namespace
