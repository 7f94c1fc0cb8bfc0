// SPDX-License-Identifier: Apache-2.0
// Do the costs of rows agree with the times that they were taken from?
#include "tuning/convolved_rows.hpp"

#include <gtest/gtest.h>

namespace {

using namespace wingbeat;
using tuning::cost_of_launch;
using tuning::cost_of_row;
using tuning::launches_of_row;

/// 2^26 real samples filtered on an H200, in blocks of 16,384 on an H100; two of their rows as one
/// complex row.
struct measurement {
  std::size_t taps, block;
  double time_us;
};

TEST(convolved_rows, cost_within_an_eighth_of_what_they_took) {
  for (const auto& [taps, block, time_us] : {measurement{255, 512, 238},
                                             {255, 1024, 183},
                                             {255, 2048, 186},
                                             {255, 4096, 200},
                                             {255, 8192, 224},
                                             {255, 32768, 465},
                                             {4095, 8192, 347},
                                             {4095, 16384, 292},
                                             {4095, 32768, 500}}) {
    const std::size_t hop = block + 1 - taps;
    const double n_rows = static_cast<double>(std::size_t{1} << 26) / static_cast<double>(hop) / 2;
    const double cost_us = 1e-6 * n_rows * cost_of_row(block, hop, precision::fp32, engine::cuda);
    EXPECT_NEAR(cost_us, time_us, time_us / 8) << taps << " taps, blocks of " << block;
  }
}

TEST(convolved_rows, cost_more_in_fp64_and_beyond_caches) {
  for (const engine runs_on : {engine::host, engine::cuda}) {
    const double wide = cost_of_row(16384, 16384, precision::fp64, runs_on);
    EXPECT_GT(wide, cost_of_row(16384, 16384, precision::fp32, runs_on));
    EXPECT_GT(wide, 2 * cost_of_row(8192, 8192, precision::fp64, runs_on));
    EXPECT_GT(cost_of_launch(runs_on), 0);
  }
}

TEST(convolved_rows, take_more_launches_where_they_cross_memory_twice) {
  EXPECT_EQ(launches_of_row(1 << 18, precision::fp32, engine::host), 2);
  EXPECT_EQ(launches_of_row(1 << 15, precision::fp32, engine::opencl), 2);
  EXPECT_EQ(launches_of_row(1 << 16, precision::fp32, engine::opencl), 4);
}

}  // namespace
