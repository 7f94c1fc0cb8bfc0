// SPDX-License-Identifier: Apache-2.0
// Both sides of a request, with nothing left to default. Oracle for what overlaps: every place of
// every element, written down.
#include "request/resolved.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace {

using namespace wingbeat;

using steps = std::vector<std::size_t>;

steps strides_of(const arrays::array& array) {
  steps result;
  for (const arrays::axis& axis : array.axes) result.push_back(axis.stride);
  return result;
}
steps distances_of(const arrays::array& array) {
  steps result;
  for (const arrays::batch& batch : array.batches) result.push_back(batch.distance);
  return result;
}

TEST(resolved_spec, of_a_packed_request_has_the_last_axis_densest) {
  const arrays::array in = request::input_array({.lengths = {4, 8, 16}, .batch = {3, 5}});
  EXPECT_EQ(strides_of(in), (steps{128, 16, 1}));
  EXPECT_EQ(distances_of(in), (steps{5 * 512, 512}));
  EXPECT_EQ(in.valid_bytes(), 15 * 512 * 8U);
  EXPECT_EQ(in.occupied_bytes(), in.valid_bytes());
  EXPECT_TRUE(in.is_whole());
  EXPECT_FALSE(in.may_overlap());
}

TEST(resolved_spec, of_a_half_spectrum_has_rows_of_half_and_one) {
  const plan_spec spec{.lengths = {4, 16}, .batch = 2, .kind = transform::forward_from_real};
  const arrays::array in = request::input_array(spec), out = request::output_array(spec);
  EXPECT_TRUE(in.is_real());
  EXPECT_EQ(strides_of(in), (steps{16, 1}));
  EXPECT_EQ(in.unit_bytes(), 4U);
  EXPECT_EQ(out.axes.back().length, 9U);
  EXPECT_EQ(strides_of(out), (steps{9, 1}));
  EXPECT_EQ(distances_of(out), (steps{36}));
  EXPECT_EQ(out.unit_bytes(), 8U);
  EXPECT_EQ(request::output_array({.lengths = {4, 16}, .kind = transform::inverse_to_real})
                .axes.back()
                .length,
            16U);
}

TEST(resolved_spec, of_real_rows_in_place_is_padded) {
  for (const std::vector<std::size_t>& n : {std::vector<std::size_t>{16}, {4, 16}, {2, 4, 16}}) {
    plan_spec spec{.lengths = n,
                   .batch = 3,
                   .kind = transform::forward_from_real,
                   .where = placement::in_place};
    const arrays::array in = request::input_array(spec), out = request::output_array(spec);
    for (std::size_t a = 0; a + 1 < n.size(); ++a) {
      EXPECT_EQ(in.axes[a].stride, 2 * out.axes[a].stride) << a;  // reals against bins
    }
    EXPECT_EQ(distances_of(in)[0], 2 * distances_of(out)[0]);
    EXPECT_EQ(distances_of(in)[0], request::points_of(spec) / 16 * 18);
    EXPECT_EQ(input_bytes(spec), output_bytes(spec));
    spec.kind = transform::inverse_to_real;
    EXPECT_EQ(distances_of(request::output_array(spec))[0], request::points_of(spec) / 16 * 18);
    EXPECT_EQ(input_bytes(spec), output_bytes(spec));
  }
}

TEST(resolved_spec, puts_transforms_behind_the_outermost_stride) {
  plan_spec spec{.lengths = {4, 8}, .batch = {2, 3}, .in = {.strides = {11, 1}}};
  EXPECT_EQ(distances_of(request::input_array(spec)), (steps{3 * 44, 44}));
  spec.in.strides = {1, 4};
  EXPECT_EQ(distances_of(request::input_array(spec)), (steps{3 * 32, 32}));
  spec.in = {.distances = {7, 100}};
  EXPECT_EQ(strides_of(request::input_array(spec)), (steps{8, 1}));
  EXPECT_EQ(distances_of(request::input_array(spec)), (steps{7, 100}));
}

TEST(resolved_spec, counts_reals_where_it_is_planar) {
  const arrays::array out = request::output_array(
      {.lengths = {8}, .batch = 4, .real = precision::fp16, .out = {.imaginary_at = 40}});
  EXPECT_EQ(out.unit_bytes(), 2U);
  EXPECT_EQ(out.valid_bytes(), (40 + 32) * 2U);
  EXPECT_EQ(out.occupied_bytes(), 4 * 8 * 2 * 2U);
}

TEST(resolved_spec, ends_with_its_last_element_in_memory) {
  const arrays::array in = request::input_array({.lengths = {8, 8}, .valid_in = {{2, 5}, {1, 3}}});
  EXPECT_EQ(in.valid_bytes(), (4 * 8 + 2 + 1) * 8U);
  EXPECT_EQ(in.occupied_bytes(), 3 * 2 * 8U);
  EXPECT_FALSE(in.is_whole());
}

TEST(resolved_spec, counts_what_a_step_of_0_repeats_once) {
  const arrays::array in = request::input_array(
      {.lengths = {8, 4}, .batch = 100, .in = {.strides = {0, 1}, .distances = {0}}});
  EXPECT_EQ(in.occupied_bytes(), 4 * 8U);
  EXPECT_EQ(in.valid_bytes(), 4 * 8U);
  EXPECT_TRUE(in.may_overlap());
}

TEST(resolved_spec, is_alike_where_every_place_is) {
  const plan_spec spec{.lengths = {4, 4}, .batch = 3};
  EXPECT_TRUE(are_alike(request::input_array(spec), request::output_array(spec)));
  plan_spec same = spec;
  same.in = {.strides = {4, 1}, .distances = {16}};  // the defaults, written out
  EXPECT_TRUE(are_alike(request::input_array(same), request::output_array(same)));
  for (const auto& differ : {plan_spec{.lengths = {4, 4}, .batch = 3, .in = {.strides = {1, 4}}},
                             plan_spec{.lengths = {4, 4}, .batch = 3, .in = {.distances = {17}}},
                             plan_spec{.lengths = {4, 4}, .batch = 3, .in = {.imaginary_at = 48}},
                             plan_spec{.lengths = {4, 4}, .valid_in = {{0, 4}, {0, 3}}},
                             plan_spec{.lengths = {4, 4}, .kind = transform::inverse_to_real}}) {
    EXPECT_FALSE(are_alike(request::input_array(differ), request::output_array(differ)));
  }
}

/// Returns whether two numbers share a place.
bool overlaps(const arrays::array& array) {
  std::vector<std::size_t> places{0};
  const auto spread = [&](std::size_t first, std::size_t end, std::size_t step) {
    std::vector<std::size_t> result;
    for (const std::size_t place : places) {
      for (std::size_t i = first; i < end; ++i) result.push_back(place + i * step);
    }
    places = result;
  };
  for (const arrays::axis& axis : array.axes) spread(axis.valid.first, axis.valid.end, axis.stride);
  for (const arrays::batch& batch : array.batches) spread(0, batch.count, batch.distance);
  if (array.has_parts) spread(0, 2, array.parts_distance);
  return std::set<std::size_t>(places.begin(), places.end()).size() != places.size();
}

TEST(resolved_spec, never_misses_an_overlap) {
  std::mt19937 random{1};
  int n_overlapping = 0, n_apart = 0, n_taken_for_overlapping = 0;
  for (int i = 0; i < 20'000; ++i) {
    plan_spec spec{.lengths = {2, 4}, .batch = {1 + random() % 3, 2}};
    spec.out.strides = {random() % 20, random() % 20};
    spec.out.distances = {random() % 40, random() % 40};
    spec.out.imaginary_at = random() % 2 == 0 ? 0 : random() % 60;
    const arrays::array out = request::output_array(spec);
    const bool is_shared = overlaps(out);
    n_overlapping += is_shared;
    n_apart += !out.may_overlap();
    n_taken_for_overlapping += out.may_overlap() && !is_shared;
    ASSERT_TRUE(!is_shared || out.may_overlap());
  }
  EXPECT_GT(n_overlapping, 1000);
  EXPECT_GT(n_apart, 500);
  EXPECT_GT(n_taken_for_overlapping, 0);  // as documented: strides that do not nest
}

TEST(resolved_spec, names_the_step_that_does_not_nest) {
  const auto clash =
      request::output_array({.lengths = {4}, .batch = 3, .out = {.distances = {3}}}).find_clash();
  ASSERT_TRUE(clash.has_value());
  EXPECT_EQ(clash->stride, 3U);
  EXPECT_EQ(clash->reach, 3U);
}

TEST(factor, divides_by_the_product_of_the_lengths) {
  plan_spec spec{.lengths = {4, 8, 2}, .batch = 100, .kind = transform::forward_from_real};
  EXPECT_EQ(request::factor_of(spec), 1);
  spec.scale = scaling::by_length;
  EXPECT_EQ(request::factor_of(spec), 1 / 64.0L);
  spec.scale = scaling::by_sqrt_length;
  EXPECT_EQ(request::factor_of(spec), 1 / 8.0L);
}

}  // namespace
