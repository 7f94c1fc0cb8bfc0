// SPDX-License-Identifier: Apache-2.0
#include "microscopy/half_plane.hpp"

#include <gtest/gtest.h>

#include <cmath>  // hypot
#include <vector>

namespace {

using wingbeat::microscopy::half_plane;

/// Returns the plane's frequencies of one axis in units of its shortest step.
template <class Frequency>
std::vector<double> per_row(const half_plane& plane, Frequency frequency) {
  std::vector<double> result;
  for (std::size_t bin = 0; bin < plane.bins(); bin += plane.columns())
    result.push_back(frequency(bin));
  return result;
}

TEST(half_plane, has_the_frequencies_of_rfft2) {
  const half_plane even{4, 6}, odd{5, 5};
  EXPECT_EQ(even.bins(), 16U);
  EXPECT_EQ(odd.bins(), 15U);
  EXPECT_EQ(per_row(even, [&](std::size_t bin) { return 4 * even.y(bin); }),
            (std::vector<double>{0, 1, -2, -1}));
  EXPECT_EQ(per_row(odd, [&](std::size_t bin) { return 5 * odd.y(bin); }),
            (std::vector<double>{0, 1, 2, -2, -1}));
  EXPECT_EQ(even.x(7), 0.5);
  EXPECT_EQ(odd.x(5), 0.4);
  EXPECT_DOUBLE_EQ(even.radius(9), std::hypot(1.0 / 2, 1.0 / 6));
}

TEST(half_plane, counts_each_bin_of_the_whole_plane_once) {
  for (const half_plane plane :
       {half_plane{4, 6}, half_plane{5, 7}, half_plane{3, 1}, half_plane{2, 2}}) {
    double sum = 0;
    for (std::size_t bin = 0; bin < plane.bins(); ++bin) sum += plane.weight(bin);
    EXPECT_EQ(sum, static_cast<double>(plane.height * plane.width)) << plane.width;
  }
}

}  // namespace
