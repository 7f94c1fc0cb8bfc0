// SPDX-License-Identifier: Apache-2.0
// Timeout: 600
// Convolutions in one launch, and the spectra for them, compiled for three architectures without a
// GPU: no register may spill and no array may live in local memory, but where figures say so.
#include <gtest/gtest.h>

#include <utility>  // pair

#include "backend/cuda/on_architecture.hpp"  // on_architecture
#include "backend/planning_engine.hpp"       // planning_engine
#include "convolving/long_program.hpp"       // long_programs
#include "programs/convolved_rows.hpp"       // program_of_rows
#include "support/full_run.hpp"              // is_full_run, sampled

namespace {

using namespace wingbeat;
using namespace wingbeat::test;

class convolution_kernels : public on_architecture {};

TEST_P(convolution_kernels, compile_without_spills) {
  const device_info device = programs::sample_device(GetParam());
  const auto check = [&](std::size_t n, precision real) {
    plan_spec spec{.lengths = {n}, .batch = {300, 7}, .real = real, .scale = scaling::by_length};
    spec.valid_in = {{0, n - n / 4}};
    spec.valid_out = {{n / 4, n}};
    const auto expect_rows = [&](const auto& step) {
      expect_no_spills(programs::program_of_rows(step, device).value().passes().front());
    };
    expect_rows(backend::convolution_of_rows{spec, {.stored = real, .distances = {0, n}}});
    expect_rows(backend::spectra_of_rows{{.lengths = {n}, .batch = 7, .real = real}});
  };
  const auto check_narrow = [&](std::size_t n, precision stored) {
    plan_spec spec{.lengths = {n}, .batch = {300, 7}, .factor = 0.25};
    const auto program_for = [&](precision filter) {
      return programs::program_of_rows(
                 backend::convolution_of_rows{spec, {.stored = filter, .distances = {0, n}}},
                 device)
          .value();
    };
    const std::size_t wide_bytes = program_for(precision::fp32).traffic_bytes();
    spec.in.stored = spec.out.stored = stored;
    const auto narrow = program_for(stored);
    expect_no_spills(narrow.passes().front());
    EXPECT_EQ(2 * narrow.traffic_bytes(), wide_bytes);
  };
  for (const std::size_t n : sampled<std::size_t>({8192}, {16, 256, 4096})) {
    check(n, precision::fp32);
  }
  // By rule: what images are padded to, and samples of other factors.
  for (const std::size_t n :
       sampled<std::size_t>({4608}, {1500, 96, 240, 364, 1001, 2400, 6272, 7000, 11520})) {
    check(n, precision::fp32);
  }
  if (GetParam() != "sm_90" && !is_full_run()) return;
  check(3000, precision::fp64);
  check_narrow(4096, precision::fp16);
  if (!is_full_run()) return;
  check_narrow(512, precision::bf16);
  check(2048, precision::fp64);
}

INSTANTIATE_TEST_SUITE_P(architectures, convolution_kernels, architectures(), architecture_name);

class long_convolution_kernels : public on_architecture {};

TEST_P(long_convolution_kernels, compile_with_few_spills_where_rows_are_cut) {
  const backend::planning_engine engine{GetParam()};
  const auto on = engine.open(engine.devices().front());
  for (const std::size_t length : sampled<std::size_t>({1U << 20}, {1U << 17, 100000})) {
    const long_convolution_spec spec{.length = length, .channels = 64, .batch = 8};
    const auto row = convolving::geometry_of(spec, on->device());
    ASSERT_TRUE(row.is_four_step) << length;
    const convolving::long_programs programs{on, engine, spec, row};
    for (const auto& program : {programs.prepare(), programs.run(), programs.signal_gradient()}) {
      for (const pass& each : program.passes()) expect_no_spills(each);
    }
    // Rows of 4,096 points whose products are summed spill a little, so that two workgroups are at
    // once: less time than one without (bench/lessons/long_convolution.md#gradients).
    for (const auto& [program, most_bytes] :
         {std::pair{programs.kernel_gradient(), 32}, std::pair{programs.gradients().value(), 96}}) {
      for (const pass& each : program.passes()) {
        expect_few_spills(figures_of(each, GetParam()), most_bytes, each.describe());
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(architectures, long_convolution_kernels, ::testing::Values("sm_90"),
                         architecture_name);

}  // namespace
