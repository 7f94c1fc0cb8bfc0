// SPDX-License-Identifier: Apache-2.0
// Every kind of host plan of powers of two with every instruction set this machine runs, and what
// plans say of themselves.
// Timeout: 300
#include "backend/host/plan.hpp"

#include <gtest/gtest.h>

#include "backend/engine_plan_check.hpp"        // check_length, check_batches, check_impulses
#include "backend/host/on_instruction_set.hpp"  // on_instruction_set, every_instruction_set
#include "support/sanitizer.hpp"                // has_sanitizer, has_thread_sanitizer

namespace {

using namespace wingbeat;
using namespace wingbeat::test;

class host_plan : public on_instruction_set {};

TEST_P(host_plan, is_right_at_every_power_of_two) {
  for (std::size_t n = 2; n <= std::size_t{1} << 16; n *= has_sanitizer ? 8 : 2) {
    check_length(on, n);
  }
}

TEST_P(host_plan, transforms_each_row_of_a_batch) {
  for (const precision real : {precision::fp32, precision::fp64}) {
    check_batches(on, {2, 4, 8, 16, 32, 64, 512}, real);
  }
}

TEST_P(host_plan, transforms_batches_of_four_step_rows) {
  for (const transform kind : kinds_with_bins) {
    expect_right_plan(on, {.lengths = {32768}, .batch = 7, .kind = kind}, 3);
  }
}

TEST_P(host_plan, transforms_an_impulse_at_any_position) {
  if (has_thread_sanitizer) GTEST_SKIP() << "a test of values alone";
  for (const std::size_t n : {16, 64, 512, 12, 77, 360, 1001}) {
    check_impulses<float>(on, n);
    check_impulses<double>(on, n);
  }
  check_impulses<float>(on, 16384, 1021);
}

TEST_P(host_plan, gives_the_same_bits_wherever_memory_begins) {
  for (const std::size_t n : {2, 16, 64, 4096, 65536, 6, 143, 1000, 10125, 30030}) {
    for (const transform kind : kinds_with_bins) {
      const plan_spec spec{.lengths = {n}, .batch = 5, .kind = kind};
      const plan planned{on, spec};
      const std::size_t in_bytes = input_bytes(spec), out_bytes = output_bytes(spec);
      const auto x = real_noise<float>(in_bytes / sizeof(float), n);
      const auto expected = transformed(on, spec, x);
      for (const std::size_t offset_bytes : {8, 32}) {
        buffer in{on, in_bytes + offset_bytes}, out{on, out_bytes + offset_bytes};
        in.write(x.data(), in_bytes, offset_bytes);
        planned.enqueue(on, {in.view().handle, offset_bytes, in_bytes},
                        {out.view().handle, offset_bytes, out_bytes});
        auto got = expected;
        out.read(got.data(), out_bytes, offset_bytes);
        EXPECT_EQ(got, expected) << name_of(kind) << " of " << n << ", " << offset_bytes;
      }
    }
  }
}

/// Rows of few points stay pairs where columns have lanes of their own (lanes/numbers.hpp).
template <class Real>
void expect_rows_as_columns(queue& on, std::size_t n, transform kind) {
  constexpr std::size_t n_rows = 16;
  const plan_spec along{.lengths = {n},
                        .batch = n_rows,
                        .kind = kind,
                        .real = sizeof(Real) == 4 ? precision::fp32 : precision::fp64,
                        .scale = scaling::by_length};
  plan_spec across = along;
  across.in = across.out = {.strides = {n_rows}, .distances = {1}};
  const auto transposed = [](const auto& given, std::size_t n_columns) {
    auto turned = given;
    const std::size_t height = given.size() / 2 / n_columns;
    for (std::size_t i = 0; i < given.size(); ++i) {
      const std::size_t number = i / 2;
      turned[2 * (number % n_columns * height + number / n_columns) + i % 2] = given[i];
    }
    return turned;
  };
  const auto rows = real_noise<Real>(2 * n * n_rows, n);
  EXPECT_EQ(transposed(transformed(on, along, rows), n),
            transformed(on, across, transposed(rows, n)))
      << name_of(kind) << " of " << n;
}

TEST_P(host_plan, gives_rows_of_few_points_the_bits_of_columns) {
  for (const std::size_t n : {2, 3, 4, 5, 7, 11}) {
    for (const transform kind : {transform::forward, transform::inverse}) {
      expect_rows_as_columns<float>(on, n, kind);
      expect_rows_as_columns<double>(on, n, kind);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(sets, host_plan, every_instruction_set(), name_of_set);

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
