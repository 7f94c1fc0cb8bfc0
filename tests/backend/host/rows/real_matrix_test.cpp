// SPDX-License-Identifier: Apache-2.0
// Rows of few reals by matrices, alone and with stages between them, and as numbers, with every
// instruction set, alone and many, in place and apart; which rows they are.
#include "backend/host/rows/row_method.hpp"  // is_matrix_quickest

#include <gtest/gtest.h>

#include "backend/host/on_instruction_set.hpp"  // on_instruction_set, every_instruction_set
#include "request/traits.hpp"                   // traits_of
#include "support/full_run.hpp"                 // is_full_run
#include "support/plan_check.hpp"               // expect_right_plan

namespace {

using namespace wingbeat;
using namespace wingbeat::test;

class real_matrix_rows : public on_instruction_set {
 protected:
  /// Rows of n that fill no lanes, and that fill them and leave some.
  void check_rows(std::size_t n) {
    for (const transform kind : {transform::forward_from_real, transform::inverse_to_real}) {
      for (const precision real : {precision::fp32, precision::fp64}) {
        plan_spec spec{.lengths = {n}, .kind = kind, .real = real};
        expect_right_plan(on, spec, 1);
        spec.batch = 21;
        expect_right_plan(on, spec);
        spec.batch = 5;
        spec.scale = scaling::by_sqrt_length;
        spec.where = placement::in_place;
        expect_right_plan(on, spec);
      }
    }
  }
};

TEST_P(real_matrix_rows, are_right) {
  for (std::size_t n = 2; n <= 96; n += is_full_run() || n < 33 ? 1 : 7) check_rows(n);
}

TEST_P(real_matrix_rows, are_right_in_stages_and_as_numbers) {
  for (const std::size_t n : {36, 40, 44, 49, 52, 60, 65, 66, 70, 105, 129, 165, 343, 605}) {
    check_rows(n);
  }
}

INSTANTIATE_TEST_SUITE_P(sets, real_matrix_rows, every_instruction_set(), name_of_set);

TEST(real_matrix, pays_for_short_rows_and_longer_odd_ones_in_any_batch) {
  const auto pays = [](transform kind, std::size_t n, std::size_t count) {
    return backend::host::is_matrix_quickest<float>(request::traits_of(kind), n, count, 16);
  };
  for (const std::size_t count : {1U, 16U}) {
    EXPECT_TRUE(pays(transform::forward_from_real, 30, count));
    EXPECT_FALSE(pays(transform::forward_from_real, 32, count));
    EXPECT_FALSE(pays(transform::forward_from_real, 16, count)) << "eight complex numbers";
  }
  EXPECT_TRUE(pays(transform::forward_from_real, 129, 1));
  EXPECT_FALSE(pays(transform::forward_from_real, 131, 1)) << "a prime";
  EXPECT_TRUE(pays(transform::inverse_to_real, 63, 16));
  EXPECT_FALSE(pays(transform::inverse_to_real, 32, 1));
  EXPECT_TRUE(pays(transform::dct2, 64, 11));
  EXPECT_FALSE(pays(transform::dct2, 64, 12));
}

}  // namespace
