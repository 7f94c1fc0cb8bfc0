// SPDX-License-Identifier: Apache-2.0
// Label: opencl
// Timeout: 600
// Functors in the kernels of the opencl engine, and what its compiler says of those that are wrong.
#include <gmock/gmock.h>

#include <iterator>  // begin, end
#include <vector>

#include "backend/fused_text_check.hpp"  // check_messages
#include "backend/fusion_check.hpp"      // check_fused
#include "support/full_run.hpp"          // cases_on, is_full_run

namespace {

using namespace wingbeat;
using namespace wingbeat::test;

using opencl_fusion = compiled_plan<engine::opencl>;

/// Kinds that complement each other, in full runs all.
std::vector<transform> kinds(transform first, transform second) {
  if (is_full_run()) return {std::begin(every_kind), std::end(every_kind)};
  return {first, second};
}

TEST_F(opencl_fusion, agrees_with_long_double_in_one_pass) {
  for (const std::size_t n : cases_on<std::size_t>(engine::opencl, {64}, {2, 16, 1024})) {
    check_fused(*on, n, 17);
  }
  if (is_full_run()) check_fused(*on, 4096, 1, scaling::by_length);
}

TEST_F(opencl_fusion, agrees_with_long_double_in_two_and_three_launches) {
  check_fused(*on, std::size_t{1} << 16, 3, scaling::by_length, is_full_run(),
              kinds(transform::inverse, transform::forward_from_real));
}

TEST_F(opencl_fusion, agrees_with_long_double_at_odd_lengths) {
  if (is_full_run()) check_fused(*on, 45, 17);
  check_fused(*on, 59049, 2, scaling::none, is_full_run(),
              kinds(transform::forward, transform::inverse_to_real));
  if (is_full_run()) check_one_end(*on, 225, 3);
}

TEST_F(opencl_fusion, leaves_the_other_end_plain) {
  check_one_end(*on, 64, 3);
  if (is_full_run()) check_one_end(*on, std::size_t{1} << 16, 1);
}

TEST_F(opencl_fusion, tells_the_line_that_is_wrong) {
  check_messages(*on);
}

TEST_F(opencl_fusion, tells_the_part_that_is_missing) {
  check_parts([&](const plan_spec& what) { return message_of_plan(*on, what); });
}

TEST_F(opencl_fusion, takes_other_parameters_without_another_kernel) {
  check_parameters(*on);
}

}  // namespace
