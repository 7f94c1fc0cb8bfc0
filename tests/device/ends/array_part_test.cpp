// SPDX-License-Identifier: Apache-2.0
// Elements of a part of an array, in the order in which rows have them, against their own numbers.
#include "wingbeat/device/ends/array_part.hpp"

#include <gtest/gtest.h>

namespace {

using wingbeat::device::size;
using wingbeat::device::ends::array_part;

TEST(ends_array_part, numbers_rows_of_two_axes) {
  // Of [b][3][4][5], x and z are transformed where y is 1 or 2; from the third array on.
  constexpr array_part part{{3, 4, 5}, {0, 1, 0}, {1, 2, 1}, {true, false, true}, 2, false};
  size row = 0;
  for (size b = 2; b < 4; ++b) {
    for (size y = 1; y < 3; ++y, ++row) {
      for (size x = 0; x < 3; ++x) {
        for (size z = 0; z < 5; ++z) {
          const auto spot = part.spot(row, x * 5 + z);
          EXPECT_EQ(spot.row, b);
          EXPECT_EQ(spot.i, (x * 4 + y) * 5 + z);
        }
      }
    }
  }
}

TEST(ends_array_part, numbers_bins_of_one_axis) {
  // Bins k1 + 3 k2 of 12, of which the part has those of k1 = 1 and 2.
  constexpr array_part part{{1, 3, 4}, {0, 1, 0}, {1, 2, 1}, {false, false, true}, 0, true};
  for (size k1 = 1; k1 < 3; ++k1) {
    for (size k2 = 0; k2 < 4; ++k2) EXPECT_EQ(part.spot(k1 - 1, k2).i, k1 + 3 * k2);
  }
}

}  // namespace
