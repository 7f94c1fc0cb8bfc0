// SPDX-License-Identifier: Apache-2.0
// Refusals of transforms from reals to reals: what was given, what is allowed.
#include "request/validation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "support/refusal.hpp"       // refusal
#include "wingbeat/good_length.hpp"  // max_length

namespace {

using namespace wingbeat;
using namespace wingbeat::test;
using ::testing::HasSubstr;

std::string refused(const plan_spec& spec) {
  return refusal(
      [&] { static_cast<void>(request::validated(spec, first_device(engine::reference))); });
}

TEST(validation, takes_a_kind_for_each_axis) {
  plan_spec spec{.lengths = {6, 8},
                 .kind = transform::dst1,
                 .axis_kinds = {transform::dct2, transform::dst1},
                 .orthogonalize = true};
  EXPECT_EQ(refused(spec), nothing_refused);
  spec.axis_kinds = {transform::dct2};
  EXPECT_THAT(refused(spec), HasSubstr("axis_kinds has 1 entries and there are 2 axes"));
  spec.axis_kinds = {transform::dst1, transform::dct2};
  EXPECT_THAT(refused(spec), HasSubstr("kind is dst1 and the last of axis_kinds dct2"));
  spec.axis_kinds = {transform::forward, transform::dst1};
  EXPECT_THAT(refused(spec), HasSubstr("axis_kinds[0] is forward, whose numbers are complex"));
  spec.axis_kinds = {static_cast<transform>(88), transform::dst1};
  EXPECT_THAT(refused(spec), HasSubstr("axis_kinds[0] is 88, which is none of its values"));
}

TEST(validation, takes_axis_kinds_and_orthogonalize_of_reals_alone) {
  EXPECT_THAT(refused({.lengths = {8}, .axis_kinds = {transform::dct2}}),
              HasSubstr("axis_kinds was given and kind is forward"));
  EXPECT_THAT(
      refused({.lengths = {8}, .kind = transform::forward_from_real, .orthogonalize = true}),
      HasSubstr("orthogonalize was given and kind is forward_from_real"));
  plan_spec hartley{.lengths = {8, 8}, .kind = transform::dht, .orthogonalize = true};
  EXPECT_THAT(refused(hartley), HasSubstr("orthogonalize was given and kind is dht"));
  hartley.axis_kinds = {transform::dct2, transform::dht};
  EXPECT_EQ(refused(hartley), nothing_refused);
  EXPECT_EQ(refused({.lengths = {8}, .kind = transform::dct4, .orthogonalize = true}),
            nothing_refused);
}

TEST(validation, takes_lengths_that_a_kind_has) {
  EXPECT_THAT(refused({.lengths = {4, 1}, .kind = transform::dct1}),
              HasSubstr("dct1 of length 1 does not exist; choose one from 2 to 268435456"));
  EXPECT_EQ(refused({.lengths = {2}, .kind = transform::dct1}), nothing_refused);
  EXPECT_EQ(refused({.lengths = {1}, .kind = transform::dst1}), nothing_refused);
  EXPECT_EQ(refused({.lengths = {max_length}, .kind = transform::dct1}), nothing_refused);
  EXPECT_EQ(refused({.lengths = {max_length - 1}, .kind = transform::dst1}), nothing_refused);
  EXPECT_THAT(refused({.lengths = {max_length}, .kind = transform::dst1}),
              HasSubstr("choose one from 1 to 268435455"));
}

TEST(validation, refuses_scrambled_orders_of_reals) {
  EXPECT_THAT(refused({.lengths = {8}, .kind = transform::dct4, .bins = bin_order::scrambled}),
              HasSubstr("those of real transforms lie in natural order"));
}

TEST(validation, takes_fewer_operands_of_functors_of_reals) {
  plan_spec spec{.lengths = {8}, .kind = transform::dct2};
  spec.load = {.in_bytes = 32,
               .element_bytes = 4,
               .callable = operand_reader<float>([](const void*, const host_arguments&, std::size_t,
                                                    std::size_t, std::span<float>) {}),
               .operands = std::vector(24, kernel_parameter::input(4))};
  EXPECT_EQ(refused(spec), nothing_refused);
  spec.load.operands.push_back(kernel_parameter::input(4));
  EXPECT_THAT(refused(spec), HasSubstr("take 50 parameters of a kernel, two for each view and one "
                                       "for each value; give all functors up to 48 together"));
}

TEST(validation, takes_multipliers_of_reals_alone) {
  plan_spec spec{.lengths = {8}, .kind = transform::dct2, .where = placement::in_place};
  spec.multiplier.callable =
      run_reader<float>([](const void*, std::size_t, std::size_t, std::span<float>) {});
  EXPECT_EQ(refused(spec), nothing_refused);
  spec.multiplier.element_bytes = 4;
  EXPECT_THAT(refused(spec), HasSubstr("multiplier.element_bytes is 4, and a multiplier has no "
                                       "buffer; leave both out"));
  spec.multiplier.element_bytes = 0;
  spec.orthogonalize = true;
  EXPECT_THAT(refused(spec), HasSubstr("orthogonalize, which the transform back undoes"));
  spec.orthogonalize = false;
  spec.real = precision::fp64;
  EXPECT_THAT(refused(spec), HasSubstr("the multiplier functor's callable takes a span of float"));
  spec.kind = transform::forward;
  EXPECT_THAT(refused(spec), HasSubstr("a multiplier was given and kind is forward"));
  spec.kind = transform::dct2;
  spec.multiplier = {.moved_bytes = 32};
  EXPECT_THAT(refused(spec), HasSubstr("the multiplier functor has no callable"));
}

TEST(validation, takes_reals_in_place_where_both_sides_lie_alike) {
  plan_spec spec{.lengths = {8}, .kind = transform::dct3, .where = placement::in_place};
  EXPECT_EQ(refused(spec), nothing_refused);
  EXPECT_EQ(input_bytes(spec), 32U) << "rows are not padded";
  spec.in.strides = {2};
  EXPECT_THAT(refused(spec), HasSubstr("an input and an output that lie differently"));
  spec.out.strides = {2};
  EXPECT_EQ(refused(spec), nothing_refused);
}

}  // namespace
