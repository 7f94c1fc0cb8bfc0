// SPDX-License-Identifier: Apache-2.0
// What a plan refuses, on every engine alike: each sentence names what was given.
#include "wingbeat/plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>

#include <utility>  // move

#include "support/refusal.hpp"  // refusal
#include "wingbeat/wingbeat.hpp"

namespace {

using namespace wingbeat;
using test::refusal;
using ::testing::HasSubstr;

constexpr std::size_t huge = std::size_t{1} << 62;

/// Of the engine that does everything, so that only what no engine may be asked is refused.
std::string refusal_to_plan(plan_spec spec) {
  return refusal([&] { plan{queue{first_device(engine::reference)}, std::move(spec)}; });
}

TEST(plan, names_a_length_it_cannot_transform) {
  for (const std::size_t n : {std::size_t{0}, max_length + 1, 2 * max_length}) {
    EXPECT_THAT(refusal_to_plan({.lengths = {n}}), HasSubstr("length " + std::to_string(n)));
    EXPECT_THAT(refusal_to_plan({.lengths = {4, n}}), HasSubstr("length " + std::to_string(n)));
  }
}

TEST(plan, takes_any_length) {
  EXPECT_EQ(refusal_to_plan({.lengths = {0}}),
            "length 0 cannot be transformed; choose one from 1 to 268435456");
  for (const std::size_t n : {1, 17, 37, 1009, 1014}) {
    EXPECT_EQ(refusal_to_plan({.lengths = {n}}), "nothing was refused");
    EXPECT_EQ(refusal_to_plan({.lengths = {12, n}}), "nothing was refused");
  }
}

TEST(plan, takes_one_to_three_axes) {
  for (const plan_spec& spec : {plan_spec{}, plan_spec{.lengths = {2, 2, 2, 2}}}) {
    const auto sentence = HasSubstr(std::to_string(spec.lengths.size()) + " axes; give 1 to 3");
    EXPECT_THAT(refusal_to_plan(spec), sentence);
    EXPECT_THAT(refusal([&] { static_cast<void>(input_bytes(spec)); }), sentence);
    EXPECT_THAT(refusal([&] { static_cast<void>(output_bytes(spec)); }), sentence);
  }
  EXPECT_EQ(refusal_to_plan({.lengths = {2, 4, 8}}), "nothing was refused");
}

TEST(plan, refuses_an_empty_or_an_endless_batch) {
  EXPECT_THAT(refusal_to_plan({.lengths = {4}, .batch = 0}), HasSubstr("batch is 0"));
  EXPECT_THAT(refusal_to_plan({.lengths = {4}, .batch = {3, 0}}), HasSubstr("batch is 3x0"));
  EXPECT_THAT(refusal_to_plan({.lengths = {4}, .batch = batch_shape{std::vector<std::size_t>{}}}),
              HasSubstr("batch has no dimensions"));
  EXPECT_THAT(refusal_to_plan({.lengths = {4}, .batch = huge}),
              HasSubstr("exceeds the address space"));
}

TEST(plan, multiplies_without_overflow) {
  // Each product is 2^64 or 2^66, which as a size_t would be 0.
  EXPECT_THAT(refusal_to_plan({.lengths = {4}, .batch = {huge, 4}}),
              HasSubstr("batch 4611686018427387904x4 of 4 exceeds"));
  EXPECT_THAT(refusal_to_plan({.lengths = {1 << 22, 1 << 22, 1 << 22}}),
              HasSubstr("batch 1 of 4194304x4194304x4194304 exceeds"));
  EXPECT_THAT(refusal_to_plan({.lengths = {4}, .in = {.strides = {huge}}}),
              HasSubstr("the input layout reaches beyond the address space"));
  EXPECT_THAT(refusal_to_plan({.lengths = {4}, .batch = 4, .out = {.distances = {huge}}}),
              HasSubstr("the output layout reaches beyond the address space"));
  EXPECT_THAT(refusal_to_plan({.lengths = {4}, .in = {.imaginary_at = huge}}),
              HasSubstr("the input layout reaches beyond the address space"));
  // The default distance is a product of what was given: 2^40 times 2^30 of them.
  EXPECT_THAT(refusal_to_plan({.lengths = {4},
                               .batch = {std::size_t{1} << 24, std::size_t{1} << 24},
                               .in = {.strides = {std::size_t{1} << 38}}}),
              HasSubstr("the input layout reaches beyond the address space"));
}

TEST(plan, wants_an_entry_for_each_dimension_or_none) {
  EXPECT_THAT(refusal_to_plan({.lengths = {4, 4}, .in = {.strides = {4}}}),
              HasSubstr("in.strides has 1 entries and there are 2 axes"));
  EXPECT_THAT(refusal_to_plan({.lengths = {4}, .batch = {2, 2}, .out = {.distances = {4}}}),
              HasSubstr("out.distances has 1 entries and there are 2 batch dimensions"));
  EXPECT_THAT(refusal_to_plan({.lengths = {4}, .valid_out = {{0, 4}, {0, 4}}}),
              HasSubstr("valid_out has 2 entries and there are 1 axes"));
  EXPECT_THAT(refusal([] {
                static_cast<void>(input_bytes({.lengths = {4, 4}, .valid_in = {{0, 4}}}));
              }),
              HasSubstr("valid_in has 1 entries"));
}

TEST(plan, refuses_ranges_beyond_their_axis) {
  for (const index_range range : {index_range{2, 2}, {3, 2}, {0, 9}, {8, 9}}) {
    EXPECT_THAT(refusal_to_plan({.lengths = {4, 8}, .valid_in = {{0, 4}, range}}),
                HasSubstr("the axis has indices 0 to 7"));
  }
  // The indices of a half spectrum are its bins.
  const plan_spec bins{.lengths = {8}, .kind = transform::forward_from_real, .valid_out = {{4, 5}}};
  EXPECT_EQ(refusal_to_plan(bins), "nothing was refused");
  EXPECT_THAT(refusal_to_plan(
                  {.lengths = {8}, .kind = transform::forward_from_real, .valid_out = {{4, 6}}}),
              HasSubstr("valid_out[0] is [4, 6) and the axis has indices 0 to 4"));
}

TEST(plan, refuses_two_elements_of_output_in_one_place) {
  EXPECT_THAT(refusal_to_plan({.lengths = {4}, .batch = 2, .out = {.distances = {3}}}),
              HasSubstr("a step of 3 and its smaller steps reach 3"));
  EXPECT_THAT(refusal_to_plan({.lengths = {4}, .out = {.strides = {0}}}), HasSubstr("a step of 0"));
  EXPECT_THAT(
      refusal_to_plan({.lengths = {8}, .batch = 2, .out = {.distances = {8}, .imaginary_at = 8}}),
      HasSubstr("a step of 8 and its smaller steps reach 15"));
  EXPECT_EQ(refusal_to_plan({.lengths = {4}, .batch = 2, .in = {.distances = {0}}}),
            "nothing was refused");
  // What is not written takes no place.
  EXPECT_EQ(refusal_to_plan(
                {.lengths = {4}, .batch = 2, .out = {.distances = {3}}, .valid_out = {{0, 3}}}),
            "nothing was refused");
}

TEST(plan, refuses_planes_that_meet_by_default) {
  EXPECT_THAT(refusal_to_plan({.lengths = {8}, .batch = 2, .in = {.imaginary_at = 8}}),
              HasSubstr("in.imaginary_at is 8, where packed transforms have real parts"));
  EXPECT_EQ(
      refusal_to_plan({.lengths = {8}, .batch = 2, .in = {.distances = {16}, .imaginary_at = 8}}),
      "nothing was refused");
  EXPECT_EQ(refusal_to_plan({.lengths = {8}, .batch = 2, .in = {.imaginary_at = 16}}),
            "nothing was refused");
}

TEST(plan, refuses_imaginary_parts_of_real_numbers) {
  EXPECT_THAT(
      refusal_to_plan(
          {.lengths = {8}, .kind = transform::forward_from_real, .in = {.imaginary_at = 8}}),
      HasSubstr("in.imaginary_at is 8 and that side is real"));
  EXPECT_EQ(refusal_to_plan(
                {.lengths = {8}, .kind = transform::forward_from_real, .out = {.imaginary_at = 8}}),
            "nothing was refused");
}

TEST(plan, refuses_real_transforms_in_place_elsewhere_than_in_padded_rows) {
  const plan_spec in_place{
      .lengths = {8}, .kind = transform::forward_from_real, .where = placement::in_place};
  plan_spec strided = in_place, ranged = in_place;
  strided.out.strides = {2};
  ranged.valid_in = {{0, 4}};
  for (const plan_spec& spec : {strided, ranged}) {
    EXPECT_THAT(refusal_to_plan(spec), HasSubstr("has its own padded layout"));
  }
  EXPECT_EQ(refusal_to_plan(in_place), "nothing was refused");
}

TEST(plan, refuses_to_be_in_place_where_input_and_output_differ) {
  plan_spec spec{.lengths = {8}, .where = placement::in_place, .in = {.strides = {2}}};
  EXPECT_THAT(refusal_to_plan(spec), HasSubstr("an input and an output that lie differently"));
  spec.out = spec.in;
  EXPECT_EQ(refusal_to_plan(spec), "nothing was refused");
}

TEST(plan, refuses_scrambled_bins_where_they_cannot_lie) {
  constexpr bin_order scrambled = bin_order::scrambled;
  EXPECT_THAT(
      refusal_to_plan({.lengths = {8}, .kind = transform::forward_from_real, .bins = scrambled}),
      HasSubstr("real transforms lie in natural order; choose kind forward or inverse"));
  EXPECT_THAT(refusal_to_plan({.lengths = {8, 8}, .bins = scrambled}),
              HasSubstr("several axes lie in natural order; choose one axis, or ask for natural"));
  EXPECT_THAT(refusal_to_plan({.lengths = {8}, .bins = scrambled, .out = {.strides = {2}}}),
              HasSubstr("leave in and out empty"));
  EXPECT_THAT(refusal_to_plan({.lengths = {8}, .bins = scrambled, .valid_out = {{0, 3}}}),
              HasSubstr("all in memory"));
  EXPECT_EQ(refusal_to_plan({.lengths = {8}, .bins = scrambled, .valid_in = {{0, 3}}}),
            "nothing was refused");
}

TEST(plan, refuses_stored_types_that_do_not_mix) {
  EXPECT_THAT(refusal_to_plan({.lengths = {8}, .in = {.stored = precision::fp64}}),
              HasSubstr("in.stored is fp64 and real is fp32"));
  EXPECT_THAT(refusal_to_plan(
                  {.lengths = {8}, .real = precision::fp64, .out = {.stored = precision::fp16}}),
              HasSubstr("out.stored is fp16 and real is fp64"));
  EXPECT_THAT(refusal_to_plan({.lengths = {8}, .out = {.stored = precision{9}}}),
              HasSubstr("out.stored is 9"));
  EXPECT_THAT(
      refusal_to_plan(
          {.lengths = {8}, .where = placement::in_place, .in = {.stored = precision::fp16}}),
      HasSubstr("an input and an output that lie differently"));
  const double endless = std::numeric_limits<double>::infinity();
  EXPECT_THAT(refusal_to_plan({.lengths = {8}, .factor = endless}), HasSubstr("factor is inf"));
  for (const double factor : {1e300, -1e38, 1e-39}) {
    EXPECT_THAT(refusal_to_plan({.lengths = {8}, .factor = factor}),
                HasSubstr("which real fp32 does not hold"));
  }
  EXPECT_THAT(refusal_to_plan({.lengths = {1 << 20}, .scale = scaling::by_length, .factor = 1e-35}),
              HasSubstr("with scale by_length the factor of all is"));
  EXPECT_THAT(refusal_to_plan({.lengths = {8}, .real = precision::fp64, .factor = 1e-307}),
              HasSubstr("which real fp64 does not hold"));
  for (const double factor : {0.0, 1e-36, -1e37}) {
    EXPECT_EQ(refusal_to_plan({.lengths = {8}, .factor = factor}), "nothing was refused");
  }
  EXPECT_EQ(refusal_to_plan({.lengths = {8}, .in = {.stored = precision::bf16}}),
            "nothing was refused");
}

TEST(plan, refuses_ranges_that_begin_before_the_memory) {
  EXPECT_THAT(refusal_to_plan({.lengths = {8}, .in = {.origin = {3}}, .valid_in = {{2, 5}}}),
              HasSubstr("in.origin[0] is 3, so that lower indices are not in memory, and "
                        "valid_in[0] begins at 2"));
  EXPECT_THAT(refusal_to_plan({.lengths = {8}, .out = {.origin = {1}}}),
              HasSubstr("out.origin[0] is 1"));
  EXPECT_THAT(refusal_to_plan({.lengths = {8}, .in = {.origin = {0, 0}}}),
              HasSubstr("in.origin has 2 entries and there are 1 axes"));
  const plan_spec spec{
      .lengths = {8}, .batch = 2, .in = {.distances = {3}, .origin = {2}}, .valid_in = {{2, 5}}};
  EXPECT_EQ(refusal_to_plan(spec), "nothing was refused");
  EXPECT_EQ(input_bytes(spec), 6 * 8) << "two rows of three numbers";
}

TEST(plan, refuses_a_functor_and_a_layout_on_one_side) {
  plan_spec spec{.lengths = {8}, .in = {.strides = {2}}};
  spec.load = {.in_bytes = 64, .element_bytes = 8};
  spec.load.callable = [](const void*, std::size_t, std::size_t, std::span<std::complex<float>>) {};
  EXPECT_THAT(refusal_to_plan(spec),
              HasSubstr("the load functor places elements itself and in was given"));
  spec.in = {};
  spec.out = {.strides = {2}};
  EXPECT_EQ(refusal_to_plan(spec), "nothing was refused");
}

/// A request that every engine takes, with one field of no value of its enumeration.
std::vector<std::pair<plan_spec, std::string>> requests_without_meaning() {
  std::vector<std::pair<plan_spec, std::string>> requests(5, {{.lengths = {8}}, ""});
  requests[0].first.kind = static_cast<transform>(77);
  requests[0].second = "kind is 77, which is none of its values; choose forward, inverse";
  requests[1].first.real = static_cast<precision>(-1);
  requests[1].second = "real is -1, which is none of its values; choose fp32, fp64";
  requests[2].first.scale = static_cast<scaling>(3);
  requests[2].second = "scale is 3, which is none of its values; choose none, by_length";
  requests[3].first.bins = static_cast<bin_order>(2);
  requests[3].second = "bins is 2, which is none of its values; choose natural or scrambled";
  requests[4].first.where = static_cast<placement>(9);
  requests[4].second = "where is 9, which is none of its values; choose out_of_place or in_place";
  return requests;
}

TEST(plan, refuses_numbers_that_are_no_value_of_an_enumeration) {
  plan_cache plans;
  const queue on{first_device(engine::reference)};
  for (const auto& [spec, sentence] : requests_without_meaning()) {
    EXPECT_THAT(refusal_to_plan(spec), HasSubstr(sentence));
    EXPECT_THAT(refusal([&] { (void)input_bytes(spec); }), HasSubstr(sentence));
    EXPECT_THAT(refusal([&] { (void)output_bytes(spec); }), HasSubstr(sentence));
    EXPECT_THAT(refusal([&] { (void)plans.get(on, spec); }), HasSubstr(sentence));
    EXPECT_EQ(plans.size(), 0U);
  }
}

TEST(plan, refuses_to_be_used_once_moved_from) {
  queue on{first_device(engine::host)};
  plan given{on, {.lengths = {8}}};
  const plan owner = std::move(given);
  EXPECT_EQ(owner.spec().lengths.front(), 8U);
  const auto sentence = HasSubstr("this plan was moved from; use the plan that it was moved to");
  buffer memory{on, 64};
  EXPECT_THAT(refusal([&] { (void)given.spec(); }), sentence);
  EXPECT_THAT(refusal([&] { (void)given.workspace_bytes(); }), sentence);
  EXPECT_THAT(refusal([&] { (void)given.bin_at(0); }), sentence);
  EXPECT_THAT(refusal([&] { (void)given.traffic_bytes(); }), sentence);
  EXPECT_THAT(refusal([&] { (void)given.passes(); }), sentence);
  EXPECT_THAT(refusal([&] { (void)given.resources(); }), sentence);
  EXPECT_THAT(refusal([&] { (void)given.predicted_fraction(); }), sentence);
  EXPECT_THAT(refusal([&] { (void)given.explain(); }), sentence);
  EXPECT_THAT(refusal([&] { given.enqueue(on, memory.view(), memory.view()); }), sentence);
  given = plan{on, {.lengths = {4}}};
  EXPECT_EQ(given.spec().lengths.front(), 4U);
}

TEST(plan, reports_a_pass_for_each_kernel) {
  for (const device_info& device : devices()) {
    const queue on{device};
    const plan planned{on, {.lengths = {1 << 10}, .batch = 3}};
    EXPECT_EQ(planned.passes().size(), planned.resources().size()) << name_of(device.runs_on);
    std::size_t bytes = 0;
    for (const pass_info& each : planned.passes()) bytes += each.traffic_bytes;
    EXPECT_TRUE(planned.passes().empty() || bytes == planned.traffic_bytes());
    const bool compiles = device.runs_on == engine::opencl || device.runs_on == engine::cuda;
    EXPECT_EQ(planned.passes().empty(), !compiles) << name_of(device.runs_on);
  }
}

TEST(plan, refuses_buffers_that_are_too_small) {
  queue on{first_device(engine::host)};
  const plan planned{on, {.lengths = {64}}};
  buffer whole{on, 512}, part{on, 511};
  EXPECT_THAT(refusal([&] { planned.enqueue(on, part.view(), whole.view()); }),
              HasSubstr("the input holds 511 bytes; this plan needs 512"));
  EXPECT_THAT(refusal([&] { planned.enqueue(on, whole.view(), part.view()); }),
              HasSubstr("the output holds 511 bytes"));
}

TEST(plan, refuses_a_queue_of_another_device) {
  queue host{first_device(engine::host)}, reference{first_device(engine::reference)};
  const plan planned{host, {.lengths = {64}}};
  buffer memory{host, 512};
  EXPECT_THAT(refusal([&] { planned.enqueue(reference, memory.view(), memory.view()); }),
              HasSubstr("made for host:0 and the queue is of reference:0"));
}

TEST(plan, refuses_one_buffer_for_sides_that_differ) {
  queue on{first_device(engine::reference)};
  const plan planned{on, {.lengths = {8}, .out = {.strides = {2}}}};
  buffer memory{on, 128};
  EXPECT_THAT(refusal([&] { planned.enqueue(on, memory.view(), memory.view()); }),
              HasSubstr("lie differently was given one buffer for both"));
}

TEST(plan, refuses_real_rows_in_one_buffer_unless_planned_in_place) {
  queue on{first_device(engine::host)};
  for (const transform kind : {transform::forward_from_real, transform::inverse_to_real}) {
    plan_spec spec{.lengths = {64}, .batch = 3, .kind = kind};
    buffer memory{on, 3 * 33 * 8};
    const plan apart{on, spec};
    EXPECT_THAT(refusal([&] { apart.enqueue(on, memory.view(), memory.view()); }),
                HasSubstr("planned out of place"));
    spec.where = placement::in_place;
    const plan together{on, spec};
    EXPECT_NO_THROW(together.enqueue(on, memory.view(), memory.view()));
  }
}

}  // namespace
