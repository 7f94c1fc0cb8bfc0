// SPDX-License-Identifier: Apache-2.0
// What follows from a pass's numbers and is not seen in its results: which inputs are padding.
#include "wingbeat/device/grid/numbers.hpp"

#include <gtest/gtest.h>

namespace {

using namespace wingbeat::device::grid;

/// Rows of 4,096 by 256 threads of 16 elements each, of which memory holds those below `end`.
constexpr pass_numbers rows_to(wingbeat::device::size end) {
  pass_numbers pass;
  pass.shape.length = pass.total = 4096;
  pass.shape.elements_per_thread = 16;
  pass.in.is_limited = true;
  pass.in.valid_end = end;
  return pass;
}

TEST(grid_numbers, count_a_threads_elements_before_the_padding) {
  EXPECT_EQ(pass_numbers{}.live_elements(), 1U);
  EXPECT_EQ(rows_to(4096).live_elements(), 16U);
  EXPECT_EQ(rows_to(512).live_elements(), 2U);
  EXPECT_EQ(rows_to(513).live_elements(), 3U);
  EXPECT_EQ(rows_to(1).live_elements(), 1U);
  pass_numbers pairs = rows_to(513);  // 257 pairs of reals
  pairs.in.is_pairs = true;
  EXPECT_EQ(pairs.live_elements(), 2U);
}

TEST(grid_numbers, count_elements_of_every_step) {
  // An axis of 2^16 in two pieces: element q of a butterfly is index g + 16 q.
  pass_numbers first = rows_to(8192);
  first.total = 65536;
  first.in.step = 16;
  EXPECT_EQ(first.live_elements(), 2U);
  pass_numbers second = first;
  second.prior = 4096;
  EXPECT_EQ(second.live_elements(), 16U) << "what the first piece leaves is no padding";
}

TEST(grid_numbers, take_spectra_and_clusters_whole) {
  pass_numbers bins = rows_to(512);
  bins.shape.source = row::half_spectrum;
  EXPECT_EQ(bins.live_elements(), 16U);
  pass_numbers cluster = rows_to(512);
  cluster.shape.makes = body::line;
  EXPECT_EQ(cluster.live_elements(), 16U);
}

}  // namespace
