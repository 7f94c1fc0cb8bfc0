// SPDX-License-Identifier: Apache-2.0
// Each workgroup prefetches the input of the tile so many tiles later, and nothing beyond the last
// tile: compared place by place.
#include "wingbeat/device/grid/prefetch.hpp"

#include <gtest/gtest.h>

#include <algorithm>  // sort
#include <initializer_list>
#include <vector>

namespace {

using namespace wingbeat::device::grid;
using wingbeat::device::size;

/// Butterflies of `Elements` in a row, `Lanes` in a tile, prefetched `Tiles` tiles early.
template <unsigned Lanes, unsigned Tiles, size Elements, unsigned Workgroups, bool IsFull,
          loop... Loops>
struct prefetched {
  static constexpr pass_numbers numbers() {
    pass_numbers n;
    n.shape.lanes = Lanes;
    n.shape.workgroups = Workgroups;
    n.prefetch_tiles = Tiles;
    n.prefetch_elements = Elements;
    n.is_full = IsFull;
    n.in.base = 3;
    n.in.distance = n.out.distance = 1000;
    for (const loop& each : std::initializer_list<loop>{Loops...}) n.loops[n.depth++] = each;
    return n;
  }
};

/// Notes the places that are prefetched.
struct recorder {
  std::vector<size>* places;
  void prefetch(size offset, size count) const {
    for (size i = 0; i < count; ++i) places->push_back(offset + i);
  }
};

/// Checks each tile of `rows` rows, of `threads` threads a workgroup.
template <class Policy>
void check(size rows, unsigned tiles, unsigned threads) {
  constexpr pass_numbers numbers = Policy::numbers();
  ASSERT_EQ(numbers.workgroups(rows), size{tiles} * numbers.shape.workgroups);
  for (unsigned number = 0; number < tiles; ++number) {
    std::vector<size> taken, read;
    for (unsigned part = 0; part < numbers.shape.workgroups; ++part) {
      for (unsigned thread = 0; thread < threads; ++thread)
        prefetch_tile<Policy>(recorder{&taken}, number, rows, thread, part);
    }
    if (number + numbers.prefetch_tiles < tiles) {
      const tile<Policy> later(number + numbers.prefetch_tiles, rows);
      for (unsigned lane = 0; lane < numbers.shape.lanes; ++lane) {
        for (size i = 0; later.exists(lane) && i < numbers.prefetch_elements; ++i)
          read.push_back(later.in(lane) + i);
      }
      ASSERT_FALSE(read.empty());
    }
    std::sort(taken.begin(), taken.end());
    std::sort(read.begin(), read.end());
    EXPECT_EQ(taken, read) << "tile " << number;
  }
}

TEST(grid_prefetch, takes_the_rows_of_a_later_tile) {
  check<prefetched<4, 2, 17, 1, false>>(4 * 5 + 3, 6, 8);
  check<prefetched<1, 3, 64, 1, true>>(7, 7, 4);
  check<prefetched<2, 50, 8, 1, true>>(8, 4, 4);
}

TEST(grid_prefetch, takes_rows_within_loops) {
  constexpr loop inner{6, 20, 1}, outer{3, 200, 10};
  check<prefetched<4, 1, 16, 1, false, inner, outer>>(2, 12, 8);
  check<prefetched<2, 5, 20, 1, true, inner, outer>>(2, 18, 2);
}

TEST(grid_prefetch, is_shared_by_the_workgroups_of_a_cluster) {
  check<prefetched<1, 2, 65, 4, true>>(9, 9, 8);
  check<prefetched<3, 1, 7, 2, false>>(8, 3, 8);
}

}  // namespace
