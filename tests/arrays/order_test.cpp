// SPDX-License-Identifier: Apache-2.0
// Which array each pass of random requests reads and writes: elements of every array have places of
// their own, within the array; passes overwrite only what they may; and the order of axes.
#include "arrays/order.hpp"

#include <gtest/gtest.h>

#include <algorithm>  // adjacent_find
#include <map>
#include <random>

#include "arrays/walk.hpp"
#include "request/resolved.hpp"     // resolved_spec
#include "support/random_plan.hpp"  // random_plan, as_initialiser

namespace {

using namespace wingbeat;
using namespace wingbeat::test;
using namespace arrays;

using steps = std::vector<std::size_t>;

steps strides_of(const array& source) {
  steps result;
  for (const auto& axis : source.axes) result.push_back(axis.stride);
  return result;
}
steps distances_of(const array& source) {
  steps result;
  for (const auto& batch : source.batches) result.push_back(batch.distance);
  return result;
}

std::vector<arrays::axis_span> order_of_axes(const request::resolved_spec& request,
                                             std::size_t together = 1) {
  return arrays::order_of_axes(request.in, request.out, together);
}

/// Passes of compiled engines: whole axes, and the last two together, or cut in up to three passes.
std::vector<pass_outline> drawn_passes(const plan_spec& spec, std::mt19937& random) {
  const auto draw = [&](unsigned n) {
    return std::uniform_int_distribution<unsigned>(0, n - 1)(random);
  };
  std::vector<pass_outline> passes;
  const std::size_t n_axes = spec.lengths.size(), together = n_axes > 1 && draw(4) == 0 ? 2 : 1;
  for (const auto& span : order_of_axes(spec, together)) {
    const bool is_real_axis = request::traits_of(spec.kind).is_real() && span.last() + 1 == n_axes;
    const std::size_t total = spec.lengths[span.first] / (is_real_axis ? 2 : 1);
    const unsigned n_cuts = span.count == 1 ? draw(3) : 0;
    const bool is_in_place = n_cuts == 0 || (!is_real_axis && draw(2) == 0);
    for (unsigned i = 0; i <= n_cuts; ++i) {
      passes.push_back({span, i == n_cuts, total, is_in_place});
    }
  }
  return passes;
}

/// The array lies where it can, and each of its elements has a place of its own in it.
void expect_sound(const array& between, const plan_spec& spec) {
  EXPECT_EQ(between.elements_are, element::complex);
  EXPECT_FALSE(between.has_parts);
  EXPECT_EQ(between.stored, spec.real == precision::fp64 ? precision::fp64 : precision::fp32);
  const places used = sorted(places_of(between));
  ASSERT_FALSE(used.empty());
  EXPECT_EQ(std::adjacent_find(used.begin(), used.end()), used.end()) << "elements share a place";
  if (between.location == place::output) return;
  EXPECT_LT(used.back() * bytes_of_real(between.stored), between.bytes());
  for (const auto& axis : between.axes) {
    EXPECT_TRUE(axis.placed.first <= axis.valid.first && axis.valid.end <= axis.placed.end);
  }
}

/// Returns whether a pass may write an array that it reads: element for element.
bool may_overwrite(const pass_outline& pass, const array& from, const array& to) {
  return pass.is_in_place && from.elements() == to.elements();
}

struct tally {
  std::map<place, int> locations;
  int n_inside = 0, n_overwriting = 0;
};

void check(const plan_spec& spec, const array& in, const array& out,
           const std::vector<pass_outline>& passes, const arrays::workspace_rules& rules,
           tally& seen) {
  const auto list = arrays_of_passes(spec, in, out, passes, rules);
  ASSERT_EQ(list.size(), passes.size() + 1);
  EXPECT_EQ(list.front().location, place::input);
  EXPECT_EQ(list.back().location, place::output);
  EXPECT_EQ(sorted(places_of(list.front())), sorted(places_of(spec, true)));
  EXPECT_EQ(sorted(places_of(list.back())), sorted(places_of(spec, false)));
  for (std::size_t i = 0; i + 1 < passes.size(); ++i) {
    const array &from = list[i], &to = list[i + 1];
    expect_sound(to, spec);
    ++seen.locations[to.location];
    seen.n_inside += to.location != place::output && to.has_batch_inside();
    if (from.location == to.location) {
      ++seen.n_overwriting;
      EXPECT_TRUE(may_overwrite(passes[i], from, to)) << "pass " << i;
    }
    for (std::size_t a = 0; a < to.axes.size(); ++a) {
      if (passes[i].axes.contains(a)) continue;
      EXPECT_EQ(to.axes[a].valid.first, from.axes[a].valid.first) << "left alone by pass " << i;
      EXPECT_EQ(to.axes[a].valid.end, from.axes[a].valid.end);
    }
    const arrays::axis& done = to.axes[passes[i].axes.first];
    EXPECT_EQ(done.length,
              passes[i].ends ? out.axes[passes[i].axes.first].length : passes[i].total);
    EXPECT_TRUE(passes[i].ends || !done.is_limited) << "whole between its passes";
  }
  if (list.size() > 2 && list[list.size() - 2].location == place::output) {
    EXPECT_TRUE(may_overwrite(passes.back(), list[list.size() - 2], list.back()));
  }
}

TEST(arrays_of_passes, are_sound_for_random_cuts) {
  tally seen;
  std::mt19937 random(1);
  for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
    const plan_spec spec = random_plan(seed, {.max_points = 1 << 9, .longest_axis = 1 << 9}).spec;
    SCOPED_TRACE("seed " + std::to_string(seed) + " " + as_initialiser(spec));
    check(spec, as_pairs(request::input_array(spec)), as_pairs(request::output_array(spec)),
          drawn_passes(spec, random),
          {.padding = {.multiple_of_odd = 16, .shortest_odd = 9}, .may_alternate = true}, seen);
    if (::testing::Test::HasFailure()) return;
  }
  for (const place each : {place::output, place::workspace_a, place::workspace_b}) {
    EXPECT_GE(seen.locations[each], 100);
  }
  EXPECT_GE(seen.n_inside, 50);
  EXPECT_GE(seen.n_overwriting, 500);
}

TEST(arrays_of_passes, are_one_cropped_workspace_for_passes_over_whole_axes) {
  tally seen;
  int n_cropped = 0;
  for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
    const plan_spec spec = random_plan(seed, {.max_points = 1 << 9, .longest_axis = 1 << 9}).spec;
    SCOPED_TRACE("seed " + std::to_string(seed) + " " + as_initialiser(spec));
    std::vector<pass_outline> passes;
    for (const auto& span : order_of_axes(spec)) {
      passes.push_back({.axes = span});
    }
    const array in = request::input_array(spec);
    const array out = request::output_array(spec);
    const arrays::workspace_rules cropped{.is_cropped = true};
    check(spec, in, out, passes, cropped, seen);
    const auto list = arrays_of_passes(spec, in, out, passes, cropped);
    for (std::size_t i = 1; i + 1 < list.size(); ++i) {
      EXPECT_EQ(strides_of(list[i]), strides_of(list[1])) << "overwritten in place";
      if (list[i].location == place::output) continue;
      const std::size_t whole = arrays_of_passes(spec, in, out, passes, {})[i].bytes();
      EXPECT_LE(list[i].bytes(), whole);
      n_cropped += list[i].bytes() < whole;
    }
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_EQ(seen.locations[place::workspace_b] + seen.n_inside, 0);
  EXPECT_GE(seen.locations[place::workspace_a], 100);
  EXPECT_GE(seen.locations[place::output], 100);
  EXPECT_GE(n_cropped, 100);
}

/// Returns what lies between two passes, the second of which may not overwrite its input.
array between(const plan_spec& spec) {
  const std::size_t bytes = spec.real == precision::fp64 ? 16 : 8;
  return arrays_of_passes(
      spec, as_pairs(request::input_array(spec)), as_pairs(request::output_array(spec)),
      {{.axes = {1, 1}}, {.axes = {0, 1}, .is_in_place = false}},
      {.padding = {.multiple_of_odd = 128 / bytes, .shortest_odd = 128}, .may_alternate = true})[1];
}

TEST(arrays_of_passes, are_packed_in_the_precision_computed_with) {
  plan_spec spec{.lengths = {4, 16}, .batch = {3, 2}, .kind = transform::forward_from_real};
  spec.real = precision::fp16;
  const array packed = between(spec);
  EXPECT_EQ(packed.location, place::workspace_a);
  EXPECT_EQ(packed.stored, precision::fp32);
  EXPECT_EQ(strides_of(packed), (steps{9, 1}));
  EXPECT_EQ(distances_of(packed), (steps{72, 36}));
  EXPECT_EQ(packed.elements(), 36U);

  spec.lengths = {4, 256};
  EXPECT_EQ(strides_of(between(spec)), (steps{144, 1})) << "129 bins, rounded up to whole lines";
  spec.real = precision::fp64;
  EXPECT_EQ(strides_of(between(spec)), (steps{136, 1})) << "of half as many elements";
  spec.lengths = {4, 16};

  spec.kind = transform::forward;
  const array even = between(spec);
  EXPECT_EQ(even.stored, precision::fp64);
  EXPECT_EQ(strides_of(even), (steps{16, 1}));
}

TEST(arrays_of_passes, alternate_where_both_sides_do) {
  const memory_layout alternating{.strides = {240, 15}, .distances = {5, 1}};
  plan_spec spec{.lengths = {4, 16}, .batch = {3, 5}, .in = alternating, .out = alternating};
  EXPECT_EQ(distances_of(between(spec)), (steps{5, 1}));
  EXPECT_EQ(strides_of(between(spec)), (steps{240, 15}));
  spec.out = {};
  EXPECT_EQ(strides_of(between(spec)), (steps{16, 1}));
  spec.batch = 129;
  spec.in = spec.out = {.strides = {16 * 129, 129}, .distances = {1}};
  EXPECT_EQ(distances_of(between(spec)), (steps{1}));
  EXPECT_EQ(strides_of(between(spec)), (steps{16 * 144, 144})) << "rounded up to whole lines";
}

TEST(order_of_axes, has_reals_at_its_ends) {
  const auto order = [](transform kind, std::size_t n_axes, std::size_t together) {
    std::vector<std::pair<std::size_t, std::size_t>> spans;
    const plan_spec spec{.lengths = std::vector<std::size_t>(n_axes, 4), .kind = kind};
    for (const auto& span : order_of_axes(spec, together)) {
      spans.emplace_back(span.first, span.last());
    }
    return spans;
  };
  using spans = std::vector<std::pair<std::size_t, std::size_t>>;
  for (const transform kind :
       {transform::forward, transform::inverse, transform::forward_from_real}) {
    EXPECT_EQ(order(kind, 3, 1), (spans{{2, 2}, {1, 1}, {0, 0}}));
    EXPECT_EQ(order(kind, 3, 2), (spans{{1, 2}, {0, 0}}));
  }
  EXPECT_EQ(order(transform::inverse_to_real, 3, 1), (spans{{0, 0}, {1, 1}, {2, 2}}));
  EXPECT_EQ(order(transform::inverse_to_real, 3, 2), (spans{{0, 0}, {1, 2}}));
  EXPECT_EQ(order(transform::inverse_to_real, 2, 2), (spans{{0, 1}}));
  EXPECT_EQ(order(transform::forward, 1, 1), (spans{{0, 0}}));
}

}  // namespace
