// SPDX-License-Identifier: Apache-2.0
// The block lengths that engines choose. Of those that compile kernels they are the quickest that
// were measured on an H200 or an H100, or within 2 % of it: see src/tuning/convolved_rows.cpp.
#include "convolving/blocks.hpp"

#include <gtest/gtest.h>

#include <algorithm>  // count, min

namespace {

using namespace wingbeat;
using namespace convolving;

constexpr engine compiling[] = {engine::cuda, engine::opencl};

convolution_spec filtering(std::size_t samples, std::size_t taps) {
  return {
      .image = {samples}, .kernel = {taps}, .mode = extent::same, .prepared = operand_role::kernel};
}

device_info device_of(engine runs_on) {
  device_info device;
  device.runs_on = runs_on;
  device.is_gpu = runs_on == engine::cuda;
  return device;
}

std::size_t chosen(const convolution_spec& spec, engine runs_on) {
  const auto axis = geometry_of(spec, device_of(runs_on))[0];
  return axis.hop == 0 ? 0 : axis.padded;
}

TEST(blocks, are_those_that_were_quickest_on_an_h200) {
  for (const engine runs_on : compiling) {
    EXPECT_EQ(chosen(filtering(std::size_t{1} << 26, 255), runs_on), 1024);
    EXPECT_EQ(chosen(filtering(std::size_t{1} << 26, 4095), runs_on), 16384);
    EXPECT_EQ(best_block_length(255, precision::fp32, runs_on), 1024);
    EXPECT_EQ(best_block_length(4095, precision::fp32, runs_on), 16384);
  }
}

TEST(blocks, outgrow_a_workgroup_only_where_the_overlap_leaves_no_choice) {
  for (std::size_t taps = 1; taps <= 8192; ++taps) {
    EXPECT_LE(best_block_length(taps, precision::fp32, engine::cuda), 16384) << taps;
  }
  EXPECT_EQ(best_block_length(8193, precision::fp32, engine::cuda), 32768);
  for (std::size_t taps = 1; taps <= 2048; ++taps) {
    EXPECT_LE(best_block_length(taps, precision::fp64, engine::cuda), 4096) << taps;
  }
}

TEST(blocks, of_processors_are_those_that_were_quickest_there) {
  for (const engine runs_on : {engine::host, engine::reference}) {
    EXPECT_EQ(chosen(filtering(std::size_t{1} << 20, 255), runs_on), 2048);
    EXPECT_EQ(chosen(filtering(std::size_t{1} << 20, 4095), runs_on), 16384);
    EXPECT_EQ(best_block_length(255, precision::fp32, runs_on), 2048);
    EXPECT_EQ(best_block_length(4095, precision::fp32, runs_on), 16384);
  }
}

TEST(blocks, cost_launches_that_short_signals_do_not_pay_for) {
  for (const engine runs_on : compiling) {
    EXPECT_EQ(chosen(filtering(30000, 255), runs_on), 0);
    EXPECT_NE(chosen(filtering(std::size_t{1} << 20, 255), runs_on), 0);
    EXPECT_EQ(chosen(filtering(std::size_t{1} << 20, 1 << 19), runs_on), 0);
    convolution_spec many = filtering(30000, 255);  // which share their launches
    many.images = 10000;
    EXPECT_NE(chosen(many, runs_on), 0);
  }
}

TEST(blocks, leave_results_alone) {
  for (const std::size_t taps : {1, 2, 255, 4095, 30000}) {
    for (const extent mode : {extent::full, extent::same, extent::valid}) {
      convolution_spec spec = filtering(100000, taps);
      spec.mode = mode;
      const std::size_t expected = result_lengths(spec)[0];
      for (const engine runs_on : compiling) {
        EXPECT_EQ(geometry_of(spec, device_of(runs_on))[0].result(), expected) << taps;
      }
    }
  }
}

/// Returns for each value of the result whether the launch that writes it last reads all that it
/// is a sum of.
std::vector<bool> are_right(const axis_geometry& axis, bool is_real) {
  std::vector<bool> right(axis.result());
  const std::size_t overlap = axis.kernel - 1;
  for (const block_rows& launch : block_rows_of(axis, is_real)) {
    for (std::size_t row = 0; row < launch.count * (is_real ? 2 : 1); ++row) {
      const std::size_t moved = is_real
                                    ? row / 2 * launch.distance + row % 2 * launch.parts_distance
                                    : row * launch.distance;
      const std::size_t first = launch.image_at + moved;
      EXPECT_LE(launch.out.end, axis.padded);
      for (std::size_t i = launch.out.first; i < launch.out.end; ++i) {
        const std::size_t n = first + i;  // of the full result
        const std::size_t place = launch.result_at + moved + i - launch.out.first;
        EXPECT_EQ(place + axis.wanted.first, n);
        const std::size_t begin = n < overlap ? 0 : n - overlap, end = std::min(n + 1, axis.image);
        const bool wraps = i < overlap && i + axis.padded - overlap < launch.in.end;
        right.at(place) =
            first + launch.in.first <= begin && end <= first + launch.in.end && !wraps;
      }
    }
  }
  return right;
}

TEST(blocks, make_every_value_and_of_long_images_whole_lines) {
  for (const extent mode : {extent::full, extent::same, extent::valid}) {
    for (const std::size_t taps : {1, 2, 31, 33, 255, 257, 300}) {
      for (const std::size_t samples : {2500, 12345}) {
        for (const values holds : {values::real, values::complex}) {
          convolution_spec spec = filtering(samples, taps);
          spec.mode = mode;
          spec.holds = holds;
          spec.block = 1024;
          ASSERT_EQ(why_no_blocks(spec, spec.block), "");
          const axis_geometry axis = geometry_of(spec, device_of(engine::cuda))[0];
          const std::vector<bool> right = are_right(axis, holds == values::real);
          EXPECT_EQ(std::count(right.begin(), right.end(), false), 0) << taps << " " << samples;
          if (samples < 8 * spec.block) continue;
          for (const block_rows& launch : block_rows_of(axis, holds == values::real)) {
            if (launch.count < 3) continue;
            EXPECT_EQ(launch.result_at % 32 + launch.distance % 32 + launch.parts_distance % 32, 0);
          }
        }
      }
    }
  }
}

}  // namespace
