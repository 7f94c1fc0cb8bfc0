// SPDX-License-Identifier: Apache-2.0
// Rows of few reals by matrices, alone and with stages between them, and as numbers, with every
// instruction set, alone and many, in place and apart, within the accuracy bounds; which rows they
// are, and what is not read.
#include "backend/host/rows/real_matrix.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <span>
#include <vector>

#include "backend/host/accurate_run.hpp"  // check_all_rows, checked_sets
#include "request/traits.hpp"             // traits_of
#include "support/full_run.hpp"           // is_full_run

namespace {

using namespace wingbeat;
using namespace wingbeat::test;
using backend::host::real_matrix;

/// Rows of n that fill no lanes, and that fill them and leave some.
template <class Real>
void check_rows(std::size_t n, transform kind) {
  for (const std::size_t batch : {1U, 5U, 21U}) {
    for (const placement placed : {placement::out_of_place, placement::in_place}) {
      check_all_rows<Real>({.lengths = {n},
                            .batch = batch,
                            .kind = kind,
                            .real = precision_of<Real>,
                            .scale = batch == 5 ? scaling::by_sqrt_length : scaling::none,
                            .where = placed},
                           batch % 2);
    }
  }
}

TEST(real_matrix, transforms_rows_within_the_bounds) {
  for (std::size_t n = 2; n <= 96; n += is_full_run() || n < 33 ? 1 : 7) {
    for (const transform kind : {transform::forward_from_real, transform::inverse_to_real}) {
      check_rows<float>(n, kind);
      check_rows<double>(n, kind);
    }
  }
}

TEST(real_matrix, transforms_longer_rows_within_the_bounds) {
  constexpr std::size_t in_stages[] = {49, 65, 105, 129, 165, 343, 605};
  constexpr std::size_t as_numbers[] = {36, 40, 44, 52, 60, 66, 70};
  for (const std::span<const std::size_t> lengths : {std::span{in_stages}, std::span{as_numbers}}) {
    for (const std::size_t n : lengths) {
      for (const transform kind : {transform::forward_from_real, transform::inverse_to_real}) {
        check_rows<float>(n, kind);
        check_rows<double>(n, kind);
      }
    }
  }
}

TEST(real_matrix, reads_no_imaginary_part_that_counts_as_zero) {
  constexpr float none = std::numeric_limits<float>::quiet_NaN();
  for (const auto& set : checked_sets()) {
    for (const std::size_t n : {2U, 5U, 8U, 12U, 15U, 24U, 40U, 105U, 165U, 343U}) {
      const plan_spec spec{.lengths = {n}, .batch = 9, .kind = transform::inverse_to_real};
      auto input = input_noise<float>(spec);
      auto zeros = input;
      const std::size_t pitch = n / 2 * 2 + 2;
      for (std::size_t row = 0; row < 9; ++row) {
        for (const std::size_t bin : {std::size_t{0}, n % 2 == 0 ? n / 2 : std::size_t{0}}) {
          input[pitch * row + 2 * bin + 1] = none;
          zeros[pitch * row + 2 * bin + 1] = 0;
        }
      }
      EXPECT_EQ(guarded_run(set, spec, input), guarded_run(set, spec, zeros)) << set.name << n;
    }
  }
}

TEST(real_matrix, gives_a_row_the_same_bits_in_any_batch) {
  for (const auto& set : checked_sets()) {
    for (const std::size_t n : {17U, 33U, 39U}) {
      for (const transform kind : {transform::forward_from_real, transform::inverse_to_real}) {
        const plan_spec alone{.lengths = {n}, .kind = kind};
        const plan_spec many{.lengths = {n}, .batch = 19, .kind = kind};
        const auto input = input_noise<float>(many);
        const auto output = guarded_run(set, many, input);
        const std::size_t in_pitch = input.size() / 19, out_pitch = output.size() / 19;
        for (std::size_t row = 0; row < 19; ++row) {
          const std::vector<float> given(&input[in_pitch * row], &input[in_pitch * row] + in_pitch);
          const std::vector<float> got(&output[out_pitch * row],
                                       &output[out_pitch * row] + out_pitch);
          ASSERT_EQ(guarded_run(set, alone, given), got) << described(set, many) << " " << row;
        }
      }
    }
  }
}

TEST(real_matrix, pays_for_short_rows_and_longer_odd_ones_in_any_batch) {
  const auto pays = [](transform kind, std::size_t n, std::size_t count) {
    return real_matrix<float>::pays(request::traits_of(kind), n, count, 16);
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
