// SPDX-License-Identifier: Apache-2.0
// The launches of long convolutions, planned for an H200, and their bytes worked out by hand.
#include "convolving/long_program.hpp"

#include <gtest/gtest.h>

#include <bit>  // bit_ceil

#include "backend/planning_engine.hpp"  // planning_engine

namespace {

using namespace wingbeat;

class long_program : public ::testing::Test {
 protected:
  long_program() {
    device_info device = engine.devices().front();
    device.compute_units = 132;
    on = engine.open(device);
  }

  template <class Make>
  [[nodiscard]] programs::program made(const long_convolution_spec& spec, const Make& make) {
    row = convolving::geometry_of(spec, on->device());
    return make(convolving::long_programs{on, engine, spec, row});
  }
  [[nodiscard]] programs::program run(const long_convolution_spec& spec) {
    return made(spec, [](const auto& programs) { return programs.run(); });
  }

  backend::planning_engine engine;
  std::shared_ptr<backend::queue> on;
  convolving::long_geometry row;
};

TEST_F(long_program, takes_one_launch_where_a_row_fits_a_workgroup) {
  for (const std::size_t length : {1, 2, 3, 255, 256, 1000, 1024, 2049, 4096, 5000, 8192}) {
    const long_convolution_spec spec{.length = length, .channels = 64, .batch = 8};
    const programs::program steps = run(spec);
    EXPECT_EQ(steps.steps.size(), 1U) << length;
    EXPECT_EQ(steps.workspace_bytes(), 0U) << length;
    const std::size_t signals = 64 * 8 * length * 4;
    EXPECT_EQ(steps.traffic_bytes(), 2 * signals + 64 * row.padded * 8) << length;
    EXPECT_FALSE(row.turned) << length;
  }
}

TEST_F(long_program, takes_one_launch_by_right_angles_where_pairs_outgrow_a_workgroup) {
  for (const std::size_t length : {8193, 16384, 30000, 32768}) {  // in turns
    const long_convolution_spec spec{.length = length, .channels = 64, .batch = 8};
    const programs::program steps = run(spec);
    EXPECT_EQ(steps.steps.size(), 1U) << length;
    const std::size_t bins = std::bit_ceil(length);
    ASSERT_TRUE(row.turned) << length;
    EXPECT_EQ(row.turned->turns, bins / 16384) << length;
    EXPECT_EQ(steps.traffic_bytes(), 2 * 64 * 8 * length * 4 + 64 * bins * 8) << length;
  }
}

TEST_F(long_program, takes_three_launches_where_rows_outgrow_a_workgroup) {
  for (const std::size_t length : {32768, 65536}) {
    const programs::program steps =
        run({.length = length, .channels = 64, .batch = 8, .stored = precision::bf16});
    EXPECT_FALSE(row.turned);
    EXPECT_EQ(steps.steps.size(), 3U);
    EXPECT_EQ(steps.traffic_bytes(), 38 * 64 * 8 * length);
  }
  EXPECT_EQ(run({.length = 65536, .kernel = 3, .channels = 64}).steps.size(), 3U);
  EXPECT_LT(row.padded, 70000U) << "few taps";
}

TEST_F(long_program, takes_three_launches_beyond) {
  for (const std::size_t length : {std::size_t{1} << 17, std::size_t{1} << 20}) {
    const long_convolution_spec spec{.length = length, .channels = 64, .batch = 8};
    const programs::program steps = run(spec);
    EXPECT_EQ(steps.steps.size(), 3U) << length;
    EXPECT_EQ(steps.traffic_bytes(), 42 * 64 * 8 * length) << length;
    EXPECT_EQ(steps.workspace_bytes(), 8 * 64 * 8 * length) << length;
    const auto middle = steps.passes()[1];
    EXPECT_EQ(middle.numbers.loops[0].count, 4U) << "pairs that share a spectrum come first";
    EXPECT_EQ(middle.numbers.loops[0].filter, 0U);
    EXPECT_EQ(middle.numbers.loops[1].filter, middle.shape().length);
    const auto prepared = made(spec, [](const auto& programs) { return programs.prepare(); });
    EXPECT_EQ(prepared.steps.size(), 2U) << length;
    EXPECT_EQ(prepared.passes()[1].shape().length, middle.shape().length);
  }
}

TEST_F(long_program, cuts_other_lengths_and_one_signal_alike) {
  for (const std::size_t length : {131073, 200000, 1000000}) {
    const long_convolution_spec spec{
        .length = length, .channels = 3, .stored = precision::bf16, .is_ragged = true};
    EXPECT_EQ(run(spec).steps.size(), 3U) << length;
    EXPECT_TRUE(row.is_four_step);
    EXPECT_LT(row.padded, 5 * length / 2) << length;
    const auto prepared = made(spec, [](const auto& programs) { return programs.prepare(); });
    EXPECT_EQ(prepared.passes()[1].shape().length, run(spec).passes()[1].shape().length);
  }
}

TEST_F(long_program, takes_several_passes_each_way_where_columns_outgrow_a_workgroup) {
  EXPECT_GT(run({.length = std::size_t{1} << 27}).steps.size(), 3U);
  EXPECT_FALSE(row.is_four_step);
}

TEST_F(long_program, moves_gates_and_half_the_bytes_of_halves) {
  const programs::program steps = run({.length = 1024,
                                       .channels = 64,
                                       .batch = 8,
                                       .stored = precision::bf16,
                                       .has_gate_before = true,
                                       .has_gate_after = true});
  ASSERT_EQ(steps.steps.size(), 1U);
  EXPECT_EQ(steps.traffic_bytes(), std::size_t{4 * 64 * 8 * 1024 * 2 + 64 * 2048 * 8});
}

TEST_F(long_program, sums_the_kernels_gradient_in_registers_where_channels_are_many) {
  const auto gradient = [](const auto& programs) { return programs.kernel_gradient(); };
  for (const std::size_t length : {1, 100, 1024, 4096}) {
    const programs::program steps =
        made({.length = length, .channels = 64, .batch = 7, .has_gate_after = true}, gradient);
    ASSERT_EQ(steps.steps.size(), 1U) << length;
    EXPECT_EQ(steps.traffic_bytes(), (3 * 7 + 1) * 64 * length * 4) << length;
    EXPECT_EQ(steps.workspace_bytes(), 0U) << length;
  }
  EXPECT_EQ(made({.length = 8192, .channels = 64, .batch = 7}, gradient).steps.size(), 1U);
  EXPECT_EQ(made({.length = 16384, .channels = 64, .batch = 8}, gradient).steps.size(), 1U);
}

TEST_F(long_program, sums_the_kernels_gradient_over_rows_that_are_cut) {
  for (const std::size_t channels : {1, 64}) {
    for (const std::size_t length : {32768, 65536, 131072}) {
      const programs::program steps =
          made({.length = length, .channels = channels, .batch = 8},
               [](const auto& programs) { return programs.kernel_gradient(); });
      ASSERT_EQ(steps.steps.size(), 3U) << length;
      const std::size_t samples = channels * 8 * length;
      EXPECT_EQ(2 * steps.traffic_bytes(), 89 * samples) << length;
      EXPECT_EQ(steps.workspace_bytes(), 16 * samples) << length;
    }
  }
}

TEST_F(long_program, makes_both_gradients_at_once_over_rows_that_are_cut) {
  const auto both = [](const auto& programs) { return programs.gradients(); };
  const auto made_of = [&](const long_convolution_spec& spec) {
    row = convolving::geometry_of(spec, on->device());
    return both(convolving::long_programs{on, engine, spec, row});
  };
  for (const std::size_t length :
       {std::size_t{1} << 16, std::size_t{1} << 17, std::size_t{1} << 21}) {
    const auto steps = made_of({.length = length, .channels = 64, .batch = 8});
    ASSERT_TRUE(steps) << length;
    ASSERT_EQ(steps->steps.size(), 4U) << length;
    const std::size_t samples = 64 * 8 * length;
    EXPECT_EQ(2 * steps->traffic_bytes(), 133 * samples) << length;
    EXPECT_EQ(steps->workspace_bytes(), 16 * samples) << length;
  }
  for (const std::size_t length : {std::size_t{1} << 14, std::size_t{1} << 22}) {
    EXPECT_FALSE(made_of({.length = length, .channels = 64, .batch = 8})) << length;
  }
}

TEST_F(long_program, sums_the_kernels_gradient_over_pairs_of_signals) {
  const programs::program steps =
      made({.length = 1024, .channels = 16, .batch = 7},
           [](const auto& programs) { return programs.kernel_gradient(); });
  ASSERT_EQ(steps.steps.size(), 3U);
  const std::size_t signals = 16 * 7 * 1024 * 4, spectra = 4 * 16 * 2048 * 8;
  EXPECT_EQ(steps.traffic_bytes(), 2 * signals + 4 * spectra + 16 * 1024 * 4);
  EXPECT_EQ(steps.workspace_bytes(), 2 * spectra);
}

}  // namespace
