// SPDX-License-Identifier: Apache-2.0
// Label: slow
// Timeout: 600
// Lengths beyond the cache, up to the longest.
#include <gtest/gtest.h>

#include "backend/engine_plan_check.hpp"        // check_long_row
#include "backend/host/on_instruction_set.hpp"  // on_instruction_set, every_instruction_set

namespace {

using namespace wingbeat;
using namespace wingbeat::test;

class long_host_plan : public on_instruction_set {};

TEST_P(long_host_plan, is_right_beyond_the_cache) {
  for (unsigned bits = 17; bits <= 21; ++bits) {
    plan_spec spec{.lengths = {std::size_t{1} << bits}};
    expect_right_plan(on, spec);
    spec.kind = transform::inverse_to_real;
    expect_right_plan(on, spec);
    spec.where = placement::in_place;
    spec.real = precision::fp64;
    spec.kind = transform::forward_from_real;
    expect_right_plan(on, spec);
  }
}

TEST_P(long_host_plan, is_right_at_the_longest) {
  check_long_row<float>(on, max_length);
  check_long_row<double>(on, max_length);
}

INSTANTIATE_TEST_SUITE_P(sets, long_host_plan, every_instruction_set(), name_of_set);

}  // namespace
