// SPDX-License-Identifier: Apache-2.0
// Every kind of host plan against long double, with every instruction set this machine runs.
// Memory is guarded, poisoned with NaN and, in turn, aligned to a line or to an element alone.
// Timeout: 300
#include "backend/host/plan.hpp"

#include <gtest/gtest.h>

#include "backend/host/accurate_run.hpp"  // check, check_impulses, check_repeated, checked_sets
#include "support/sanitizer.hpp"          // has_thread_sanitizer

namespace {

using namespace wingbeat;
using namespace wingbeat::test;

constexpr placement placements[] = {placement::out_of_place, placement::in_place};

template <class Real>
class host_plan : public ::testing::Test {};
using reals = ::testing::Types<float, double>;
TYPED_TEST_SUITE(host_plan, reals);

TYPED_TEST(host_plan, agrees_with_the_definition_at_every_length) {
  for (std::size_t n = 2; n <= std::size_t{1} << 16; n *= has_thread_sanitizer ? 8 : 2) {
    for (const transform kind : kinds) {
      for (const placement placed : placements) {
        check_all_rows<TypeParam>({.lengths = {n},
                                   .batch = 1 + 256 / n,
                                   .kind = kind,
                                   .real = precision_of<TypeParam>,
                                   .where = placed},
                                  placed == placement::in_place ? 1 : 0);
      }
    }
  }
}

TYPED_TEST(host_plan, scales_on_the_way_out) {
  for (const scaling scale : {scaling::by_length, scaling::by_sqrt_length}) {
    for (const std::size_t n : {2, 8, 16, 128, 2048, 32768}) {
      for (const transform kind : kinds) {
        check_all_rows<TypeParam>({.lengths = {n},
                                   .batch = 2,
                                   .kind = kind,
                                   .real = precision_of<TypeParam>,
                                   .scale = scale},
                                  0);
      }
    }
  }
}

TYPED_TEST(host_plan, transforms_each_row_of_a_batch) {
  for (const std::size_t batch : {1, 2, 3, 4, 17, 130}) {
    for (const std::size_t n : {2, 4, 8, 16, 32, 64, 512}) {
      for (const transform kind : kinds) {
        for (const placement placed : placements) {
          check_all_rows<TypeParam>({.lengths = {n},
                                     .batch = batch,
                                     .kind = kind,
                                     .real = precision_of<TypeParam>,
                                     .where = placed},
                                    batch % 4);
        }
      }
    }
  }
}

TYPED_TEST(host_plan, transforms_batches_of_four_step_rows) {
  for (const transform kind : kinds) {
    for (const placement placed : placements) {
      check<TypeParam>({.lengths = {32768},
                        .batch = 17,
                        .kind = kind,
                        .real = precision_of<TypeParam>,
                        .where = placed},
                       3, [](std::size_t row) { return row == 0 || row == 16; });
    }
  }
}

TYPED_TEST(host_plan, repeats_itself_bit_for_bit) {
  for (const std::size_t n : {2, 16, 64, 4096, 65536}) check_repeated<TypeParam>(n);
}

/// Rows of few points stay pairs where columns have lanes of their own (lanes/numbers.hpp).
TYPED_TEST(host_plan, gives_rows_of_few_points_the_bits_of_columns) {
  constexpr std::size_t n_rows = 16;
  for (const auto& set : checked_sets()) {
    for (const std::size_t n : {2, 3, 4, 5, 7, 11}) {
      for (const transform kind : {transform::forward, transform::inverse}) {
        const plan_spec along{.lengths = {n},
                              .batch = n_rows,
                              .kind = kind,
                              .real = precision_of<TypeParam>,
                              .scale = scaling::by_length};
        plan_spec across = along;
        across.in = across.out = {.strides = {n_rows}, .distances = {1}};
        const auto rows = input_noise<TypeParam>(along);
        const auto transposed = [](const auto& given, std::size_t n_columns) {
          auto turned = given;
          const std::size_t height = given.size() / 2 / n_columns;
          for (std::size_t i = 0; i < given.size(); ++i) {
            const std::size_t number = i / 2;
            turned[2 * (number % n_columns * height + number / n_columns) + i % 2] = given[i];
          }
          return turned;
        };
        const auto columns = guarded_run(set, across, transposed(rows, n));
        EXPECT_EQ(transposed(guarded_run(set, along, rows), n), columns) << described(set, along);
      }
    }
  }
}

TYPED_TEST(host_plan, transforms_an_impulse_at_any_position) {
  if (has_thread_sanitizer) GTEST_SKIP() << "a test of values alone";
  for (const std::size_t n : {16, 64, 512, 16384})
    check_impulses<TypeParam>(n, n < 1024 ? 1 : 1021);
}

TYPED_TEST(host_plan, ignores_what_real_spectra_do_not_hold) {
  const std::size_t n = 256;
  const plan_spec spec{
      .lengths = {n}, .kind = transform::inverse_to_real, .real = precision_of<TypeParam>};
  auto input = input_noise<TypeParam>(spec);
  const auto& set = backend::host::supported_sets().back();
  const auto expected = guarded_run(set, spec, input);
  input[1] = input[n + 1] = std::numeric_limits<TypeParam>::quiet_NaN();
  EXPECT_EQ(guarded_run(set, spec, input), expected);
}

TEST(host_plan_in_words, names_passes_bytes_and_workspace) {
  const auto& set = backend::host::supported_sets().front();
  const auto small = backend::host::make_plan(set, plan_spec{.lengths = {1024}, .batch = 3});
  EXPECT_EQ(small->workspace_bytes(), 0U);
  EXPECT_EQ(small->traffic_bytes(), 2U * 3 * 1024 * 8);
  EXPECT_EQ(small->explain(), "1024 points in cache, radices 16 x 8 x 8, 4 lanes");

  const std::size_t n = std::size_t{1} << 20;
  const auto large = backend::host::make_plan(set, plan_spec{.lengths = {n}});
  EXPECT_GE(large->workspace_bytes(), 8 * n);
  EXPECT_EQ(large->traffic_bytes(), 4 * 8 * n);
  EXPECT_NE(large->explain().find("\n"), std::string::npos);
}

}  // namespace
