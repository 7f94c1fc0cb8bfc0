// SPDX-License-Identifier: Apache-2.0
// Lengths that are no powers of two, each kind, with every instruction set: in lanes, as matrices,
// longer than the cache.
// Timeout: 300
#include <gtest/gtest.h>

#include "backend/engine_plan_check.hpp"        // check_length, check_batches
#include "backend/host/on_instruction_set.hpp"  // on_instruction_set, every_instruction_set
#include "support/mixed_lengths.hpp"            // mixed_lengths
#include "support/sanitizer.hpp"                // has_sanitizer

namespace {

using namespace wingbeat;
using namespace wingbeat::test;

class matrix_rows : public on_instruction_set {};

TEST_P(matrix_rows, is_right_at_every_length) {
  for (const std::size_t n : mixed_lengths(3, 512, has_sanitizer ? 64 : 8)) {
    check_length(on, n);
  }
}

TEST_P(matrix_rows, is_right_beyond_the_caches) {
  for (const std::size_t n : mixed_lengths(513, 40000, has_sanitizer ? 400 : 134, /*full_step=*/3))
    check_length(on, n);
}

TEST_P(matrix_rows, may_have_larger_primes) {
  for (const std::size_t n : {187, 289, 434, 1271, 2032, 9248, 37888}) {
    if (n < 2000 || !has_sanitizer) check_length(on, n);
  }
}

TEST_P(matrix_rows, makes_each_row_of_a_batch) {
  for (const precision real : {precision::fp32, precision::fp64}) {
    if (has_sanitizer) {
      check_batches(on, {15, 100}, real);
    } else {
      check_batches(on, {3, 15, 26, 100, 375, 1000}, real);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(sets, matrix_rows, every_instruction_set(), name_of_set);

}  // namespace
