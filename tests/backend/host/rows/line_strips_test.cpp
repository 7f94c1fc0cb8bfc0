// SPDX-License-Identifier: Apache-2.0
// Lines of reals side by side: rows and columns, in whole and in ragged tiles, with ranges, edges
// and 16-bit storage; and that lines leave each other alone.
#include "backend/host/rows/line_strips.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "request/traits.hpp"      // kinds
#include "support/memory.hpp"      // transformed
#include "support/plan_check.hpp"  // expect_right_plan
#include "support/signal.hpp"      // real_noise
#include "wingbeat/wingbeat.hpp"

namespace {

using namespace wingbeat;

std::string explained(const plan_spec& spec) {
  queue on{first_device(engine::host)};
  return plan{on, spec}.explain();
}

void expect_right(plan_spec spec) {
  spec.real = precision::fp64;
  ASSERT_THAT(explained(spec), ::testing::HasSubstr("side by side"));
  queue on{first_device(engine::host)};
  test::expect_right_plan(on, spec);
}

constexpr std::size_t lengths[] = {26, 27, 32, 36, 65, 67};

TEST(line_strips, are_each_kind_of_rows_in_whole_and_in_ragged_tiles) {
  for (const request::traits& kind : request::kinds) {
    if (!kind.is_real_to_real()) continue;
    for (const std::size_t n : lengths) {
      for (const std::size_t batch : {16U, 21U}) {
        expect_right({.lengths = {n},
                      .batch = batch,
                      .kind = kind.kind,
                      .orthogonalize = batch == 21 && kind.functions != request::basis::cas});
      }
    }
  }
}

TEST(line_strips, are_long_lines_that_are_convolved) {
  for (const transform kind :
       {transform::dct1, transform::dct2, transform::dct3, transform::dst4, transform::dht}) {
    expect_right({.lengths = {1031}, .batch = 21, .kind = kind});
  }
  EXPECT_THAT(explained({.lengths = {2039}, .batch = 16, .kind = transform::dct2}),
              ::testing::HasSubstr("columns of 2039 points by Bluestein's chirp"));
}

TEST(line_strips, are_each_kind_of_columns) {
  for (const request::traits& kind : request::kinds) {
    if (!kind.is_real_to_real()) continue;
    const memory_layout columns{.strides = {24}, .distances = {1}};
    const memory_layout spread{.strides = {50}, .distances = {2}};
    for (const std::size_t n : lengths) {
      expect_right({.lengths = {n}, .batch = 24, .kind = kind.kind, .in = columns, .out = columns});
      expect_right({.lengths = {n}, .batch = 24, .kind = kind.kind, .in = columns, .out = spread});
    }
  }
}

TEST(line_strips, take_several_axes_of_kinds_of_their_own_in_ranges) {
  expect_right({.lengths = {18, 20, 24},
                .batch = 2,
                .kind = transform::dct4,
                .axis_kinds = {transform::dct1, transform::dst2, transform::dct4},
                .scale = scaling::by_sqrt_length,
                .valid_in = {{2, 17}, {0, 20}, {3, 20}},
                .valid_out = {{0, 9}, {1, 20}, {5, 24}}});
}

TEST(line_strips, share_their_tiles_among_threads) {
  expect_right({.lengths = {64, 512}, .batch = 3, .kind = transform::dct2});
}

TEST(line_strips, store_numbers_of_16_bits) {
  const plan_spec spec{.lengths = {64},
                       .batch = 40,
                       .kind = transform::dct2,
                       .in = {.stored = precision::fp16},
                       .out = {.stored = precision::fp16}};
  const auto x = std::vector<std::uint16_t>(64 * 40, 0x3c00);  // ones
  const auto y = test::transformed(engine::host, spec, x);
  for (std::size_t i = 0; i < y.size(); ++i) {
    ASSERT_EQ(y[i] & 0x7fff, i % 64 == 0 ? 0x5800 : 0) << i;  // 128, and zeros of any sign
  }
}

TEST(line_strips, leave_other_lines_alone) {
  for (const std::size_t n : {32U, 33U}) {
    const plan_spec spec{.lengths = {n}, .batch = 32, .kind = transform::dct3};
    auto x = test::real_noise<float>(32 * n, 1);
    const auto before = test::transformed(engine::host, spec, x);
    for (std::size_t i = 0; i < n; ++i) x[5 * n + i] = std::numeric_limits<float>::infinity();
    const auto after = test::transformed(engine::host, spec, x);
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (i / n == 5) continue;
      ASSERT_EQ(after[i], before[i]) << i;
    }
  }
}

TEST(line_strips, are_made_of_many_short_lines_alone) {
  const std::string text = "side by side";
  EXPECT_THAT(explained({.lengths = {1024}, .batch = 64, .kind = transform::dct2}),
              ::testing::HasSubstr(text));
  EXPECT_THAT(explained({.lengths = {1024}, .batch = 1, .kind = transform::dct2}),
              ::testing::Not(::testing::HasSubstr(text)));
  EXPECT_THAT(explained({.lengths = {1 << 16}, .batch = 64, .kind = transform::dct2}),
              ::testing::Not(::testing::HasSubstr(text)));
}

}  // namespace
