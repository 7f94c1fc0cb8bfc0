// SPDX-License-Identifier: Apache-2.0
// Label: slow
// Timeout: 600
// Lengths beyond the cache against long double, up to the longest.
#include <gtest/gtest.h>

#include "backend/host/guarded_run.hpp"  // guarded_run, expected_row
#include "support/tolerance.hpp"         // is_accurate

namespace {

using namespace wingbeat;
using namespace wingbeat::test;

template <class Real>
void check(std::size_t n, transform kind, placement placed) {
  const plan_spec spec{.lengths = {n},
                       .kind = kind,
                       .real = sizeof(Real) == 4 ? precision::fp32 : precision::fp64,
                       .where = placed};
  const auto input = input_noise<Real>(spec);
  const auto expected = expected_row(spec, input, 0);
  for (const auto& set : backend::host::supported_sets()) {
    const auto output = guarded_run(set, spec, input);
    EXPECT_TRUE(is_accurate<Real>(row_of(spec, output, 0), expected, n)) << described(set, spec);
  }
}

TEST(long_host_plan, agrees_with_long_double) {
  for (int bits = 17; bits <= 21; ++bits) {
    const std::size_t n = std::size_t{1} << bits;
    check<float>(n, transform::forward, placement::out_of_place);
    check<float>(n, transform::inverse_to_real, placement::out_of_place);
    check<double>(n, transform::inverse, placement::in_place);
    check<double>(n, transform::forward_from_real, placement::in_place);
  }
}

TEST(long_host_plan, agrees_with_long_double_at_the_longest) {
  check<float>(max_length, transform::forward, placement::in_place);
  check<double>(max_length, transform::forward_from_real, placement::out_of_place);
}

}  // namespace
