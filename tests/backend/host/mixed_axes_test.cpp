// SPDX-License-Identifier: Apache-2.0
// Several axes, strides, planar numbers, ranges and interleaved batches of lengths that are no
// powers of two, every kind and precision with every instruction set, against the separable
// transform in long double. What is not to be read is NaN, what is not to be written is looked at.
// Timeout: 300
#include <gtest/gtest.h>

#include <vector>

#include "backend/host/placed_run.hpp"  // check, check_kinds_and_precisions

namespace {

using namespace wingbeat;
using namespace wingbeat::test;

TEST(mixed_axes, are_transformed_one_after_another) {
  for (const auto& lengths : std::vector<std::vector<std::size_t>>{
           {3, 5}, {60, 96}, {12, 15, 20}, {16, 9}, {7, 4, 11}, {2, 13}, {18, 1001}}) {
    check_kinds_and_precisions({.lengths = lengths, .scale = scaling::by_sqrt_length});
  }
}

TEST(mixed_axes, make_an_image) {
  const auto& set = backend::host::supported_sets().back();
  for (const transform kind : kinds) {
    const plan_spec spec{.lengths = {480, 640}, .kind = kind};
    SCOPED_TRACE(described(set, spec));
    expect_placed(spec, placed_run(set, spec));
  }
}

TEST(mixed_axes, may_stay_in_their_place) {
  for (const transform kind : kinds) {
    for (const auto& lengths : std::vector<std::vector<std::size_t>>{{15}, {6, 9}, {5, 6, 7}}) {
      const plan_spec spec{
          .lengths = lengths, .batch = {3, 2}, .kind = kind, .where = placement::in_place};
      check(spec, true);
      check(spec, false);
    }
  }
}

TEST(mixed_axes, may_be_planar_padded_and_cropped) {
  for (const std::size_t n : {9, 30, 375}) {
    plan_spec spec{.lengths = {n}, .batch = 3};
    spec.valid_in = {{1, n / 2}};
    spec.valid_out = {{n / 4, n / 2}};
    check_kinds_and_precisions(spec);
    spec.in.imaginary_at = 4 * n;
    spec.out.imaginary_at = 4 * n;
    for (const transform kind : {transform::forward, transform::inverse}) {
      spec.kind = kind;
      check(spec);
    }
  }
}

}  // namespace
