// SPDX-License-Identifier: Apache-2.0
// What a workgroup requests early is what the tile so many tiles later reads, and nothing beyond
// the last tile: compared place by place.
#include "wingbeat/device/grid/ahead.hpp"

#include <gtest/gtest.h>

#include <algorithm>  // sort
#include <vector>

namespace {

using namespace wingbeat::device::grid;
using wingbeat::device::size;

template <unsigned Lanes, unsigned Ahead, size Run, unsigned Workgroups, class Loops, bool Full>
struct requests_of {
  using loops = Loops;
  static constexpr unsigned lanes = Lanes, ahead = Ahead, workgroups = Workgroups;
  static constexpr size run = Run;
  static constexpr bool mirrored = false, flat = false, full = Full;
  static constexpr size in_base = 3, out_base = 0, batch_in = 1000, batch_out = 1000;
};

/// Notes the places asked for.
struct recorder {
  std::vector<size>* places;
  void request(size at, size count) const {
    for (size i = 0; i < count; ++i) places->push_back(at + i);
  }
};

/// Checks each tile of `rows` rows, of `threads` threads a workgroup.
template <class Policy>
void check(size rows, unsigned tiles, unsigned threads) {
  const rows_of_batch all{0, 0, rows};
  for (unsigned number = 0; number < tiles; ++number) {
    std::vector<size> asked, read;
    for (unsigned part = 0; part < Policy::workgroups; ++part) {
      for (unsigned thread = 0; thread < threads; ++thread)
        request_ahead<Policy>(recorder{&asked}, number, all, thread, part);
    }
    if (number + Policy::ahead < tiles) {
      const tile<Policy> later(number + Policy::ahead, all);
      for (unsigned lane = 0; lane < Policy::lanes; ++lane) {
        for (size i = 0; later.exists(lane) && i < Policy::run; ++i)
          read.push_back(later.in(lane) + i);
      }
      ASSERT_FALSE(read.empty());
    }
    std::sort(asked.begin(), asked.end());
    std::sort(read.begin(), read.end());
    EXPECT_EQ(asked, read) << "tile " << number;
  }
}

TEST(ahead, requests_the_rows_of_a_later_tile) {
  check<requests_of<4, 2, 17, 1, nest<>, false>>(4 * 5 + 3, 6, 8);
  check<requests_of<1, 3, 64, 1, nest<>, true>>(7, 7, 4);
  check<requests_of<2, 50, 8, 1, nest<>, true>>(8, 4, 4);
}

TEST(ahead, requests_rows_within_loops) {
  using loops = nest<loop<6, 20, 1>, loop<3, 200, 10>>;
  check<requests_of<4, 1, 16, 1, loops, false>>(2, 12, 8);
  check<requests_of<2, 5, 20, 1, loops, true>>(2, 18, 2);
}

TEST(ahead, is_shared_by_the_workgroups_of_a_cluster) {
  check<requests_of<1, 2, 65, 4, nest<>, true>>(9, 9, 8);
  check<requests_of<3, 1, 7, 2, nest<>, false>>(8, 3, 8);
}

}  // namespace
