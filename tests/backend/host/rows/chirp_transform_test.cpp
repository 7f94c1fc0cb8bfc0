// SPDX-License-Identifier: Apache-2.0
// Lengths with large prime factors, each kind, with every instruction set: by the definition,
// convolved one by one, in lanes, as columns; any_length has every length alone.
// Timeout: 300
#include <gtest/gtest.h>

#include "backend/engine_plan_check.hpp"        // check_impulses, kinds_with_bins
#include "backend/host/on_instruction_set.hpp"  // on_instruction_set, every_instruction_set
#include "backend/host/rows/row_method.hpp"     // convolved_rows

namespace {

using namespace wingbeat;
using namespace wingbeat::test;

class large_primes : public on_instruction_set {};

TEST_P(large_primes, are_right_alone_and_in_lanes) {
  for (const std::size_t n : {17, 37, 97, 131, 149, 524, 1031, 2017, 4099}) {
    for (const std::size_t batch : {1, 2, 19}) {
      for (const transform kind : kinds_with_bins) {
        for (const precision real : {precision::fp32, precision::fp64}) {
          expect_right_plan(on,
                            {.lengths = {n},
                             .batch = batch,
                             .kind = kind,
                             .real = real,
                             .scale = scaling::by_sqrt_length,
                             .where = batch == 2 ? placement::in_place : placement::out_of_place},
                            n % 2);
        }
      }
    }
  }
}

TEST_P(large_primes, transform_an_impulse_at_any_position) {
  for (const std::size_t n : {17, 34, 127, 131}) {
    check_impulses<float>(on, n, 1 + n / 64, 4 * element_bound<float>);
    check_impulses<double>(on, n, 1 + n / 64, 4 * element_bound<double>);
  }
}

INSTANTIATE_TEST_SUITE_P(sets, large_primes, every_instruction_set(), name_of_set);

TEST(convolved_rows, are_convolved_by_rader_where_that_costs_less) {
  const auto& set = backend::host::supported_sets().back();
  const auto words_of = [&](std::size_t n) {
    return backend::host::convolved_rows(set.kernels->fp32, n, 1).method->explain();
  };
  EXPECT_NE(words_of(2017).find("by Rader's algorithm within 2016"), std::string::npos);
  EXPECT_NE(words_of(2027).find("by Bluestein's chirp"), std::string::npos);  // 2,026 = 2 x 1,013
}

}  // namespace
