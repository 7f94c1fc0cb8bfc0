// SPDX-License-Identifier: Apache-2.0
// Tiles share out all butterflies, each once, whatever the loops: counted one by one.
#include "wingbeat/device/grid/tile.hpp"

#include <gtest/gtest.h>

#include <initializer_list>
#include <set>
#include <utility>  // pair
#include <vector>

namespace {

using wingbeat::device::size;
using namespace wingbeat::device::grid;

enum class kind { plain, flat, mirrored };

template <unsigned Lanes, kind Kind, loop... Loops>
struct tiles_of {
  static constexpr pass_numbers numbers() {
    pass_numbers n;
    n.shape.lanes = Lanes;
    n.shape.mirrored = Kind == kind::mirrored;
    n.is_flat = Kind == kind::flat;
    n.in.base = 5;
    n.out.base = 7;
    n.in.distance = 100000;
    n.out.distance = 200000;
    for (const loop& each : std::initializer_list<loop>{Loops...}) n.loops[n.depth++] = each;
    return n;
  }
};

/// Indices of the loops, row of the batch last.
using butterfly = std::vector<size>;

std::multiset<butterfly> all_butterflies(const pass_numbers& numbers, size rows) {
  std::vector<butterfly> result{{}};
  for (unsigned i = 0; i <= numbers.depth; ++i) {
    std::vector<butterfly> longer;
    for (const butterfly& each : result) {
      for (size index = 0; index < (i == numbers.depth ? rows : numbers.loops[i].count); ++index) {
        longer.push_back(each);
        longer.back().push_back(index);
      }
    }
    result = longer;
  }
  return {result.begin(), result.end()};
}

/// Returns which butterfly a lane has, as the tile says.
template <class Tile, unsigned... Levels>
butterfly indices_of(const Tile& subject, unsigned lane) {
  if constexpr (Tile::depth == sizeof...(Levels)) {
    return {subject.template index<Levels>(lane)...};
  } else {
    return indices_of<Tile, Levels..., sizeof...(Levels)>(subject, lane);
  }
}

size place_of(size base, size distance, const butterfly& indices, const pass_numbers& numbers,
              size loop::*step) {
  for (unsigned i = 0; i < numbers.depth; ++i) base += indices[i] * (numbers.loops[i].*step);
  return base + indices.back() * distance;
}

template <class Policy>
void check_rows(size rows) {
  constexpr pass_numbers numbers = Policy::numbers();
  std::multiset<butterfly> seen;
  EXPECT_EQ(numbers.workgroups(rows), numbers.tiles_per_row() * rows);
  // One row more than there is: tiles that are prefetched may lie beyond the last row.
  for (unsigned number = 0; number < numbers.tiles_per_row() * (rows + 1); ++number) {
    const tile<Policy> subject(number, rows);
    const size row = number / numbers.tiles_per_row();
    EXPECT_EQ(subject.template index<numbers.depth>(0), 0U) << "of no loop";
    for (unsigned lane = 0; lane < numbers.shape.lanes; ++lane) {
      if (!subject.has(lane)) continue;
      butterfly indices = indices_of(subject, lane);
      indices.push_back(row);
      seen.insert(indices);
      EXPECT_EQ(subject.in(lane),
                place_of(numbers.in.base, numbers.in.distance, indices, numbers, &loop::in));
      EXPECT_EQ(subject.out(lane),
                place_of(numbers.out.base, numbers.out.distance, indices, numbers, &loop::out));
    }
  }
  EXPECT_EQ(seen, all_butterflies(numbers, rows));
}

template <unsigned Lanes, kind Kind, loop... Loops>
void check() {
  for (const size rows : {1, 2, 5}) check_rows<tiles_of<Lanes, Kind, Loops...>>(rows);
}

TEST(grid_tile, shares_out_one_loop) {
  check<1, kind::plain, loop{1, 1, 1}>();
  check<4, kind::plain, loop{8, 1, 3}>();
  check<4, kind::plain, loop{7, 2, 1}>();
  check<8, kind::plain, loop{3, 1, 1}>();
  check<1, kind::plain, loop{5, 10, 4}>();
}

TEST(grid_tile, shares_out_nested_loops) {
  check<4, kind::plain, loop{8, 1, 1}, loop{3, 8, 16}>();
  check<4, kind::plain, loop{6, 1, 1}, loop{3, 8, 16}, loop{2, 50, 30}>();
  check<16, kind::plain, loop{5, 1, 40}, loop{1, 9, 9}, loop{4, 6, 300}, loop{2, 24, 1200}>();
}

TEST(grid_tile, goes_on_in_the_next_row_where_it_is_flat) {
  check<4, kind::flat, loop{33, 1, 1}, loop{5, 40, 50}>();
  check<16, kind::flat, loop{5, 1, 40}, loop{3, 6, 300}, loop{2, 24, 1200}>();
  check<16, kind::flat, loop{5, 1, 40}, loop{2, 6, 300}, loop{1, 9, 9}>();
  using policy = tiles_of<16, kind::flat, loop{33, 1, 1}, loop{5, 33, 33}>;
  EXPECT_EQ(policy::numbers().tiles_per_row(), 11U)
      << "of which the last has 5 butterflies, others 16";
}

TEST(grid_tile, brings_mirror_images_together) {
  check<2, kind::mirrored, loop{2, 1, 1}>();
  check<4, kind::mirrored, loop{8, 1, 1}>();
  check<8, kind::mirrored, loop{8, 3, 1}>();
  check<8, kind::mirrored, loop{64, 1, 2}, loop{3, 64, 128}>();
  using policy = tiles_of<8, kind::mirrored, loop{64, 1, 1}>;
  for (unsigned number = 0; number < 8; ++number) {
    const tile<policy> subject(number, 1);
    for (unsigned lane = 0; lane < 4; ++lane) {
      const unsigned c = subject.index<0>(lane), opposite = subject.index<0>(lane + 4);
      EXPECT_EQ(opposite, c == 0 ? 32 : 64 - c) << "of column " << c;
    }
  }
}

TEST(grid_tile, knows_its_index_in_the_loop_of_a_role) {
  using policy = tiles_of<2, kind::plain, loop{4, 1, 1, loop_role::prior}, loop{2, 4, 4},
                          loop{3, 8, 8, loop_role::groups}>;
  using flat = tiles_of<2, kind::flat, loop{3, 1, 1}, loop{5, 3, 3, loop_role::prior}>;
  for (unsigned number = 0; number < policy::numbers().tiles_per_row(); ++number) {
    const tile<policy> subject(number, 1);
    EXPECT_EQ(subject.index_of<loop_role::prior>(1), number % 2 * 2 + 1);
    EXPECT_EQ(subject.index_of<loop_role::others>(1), number / 2 % 2);
    EXPECT_EQ(subject.index_of<loop_role::groups>(1), number / 4);
  }
  for (unsigned number = 0; number < flat::numbers().tiles_per_row(); ++number) {
    const tile<flat> subject(number, 1);
    EXPECT_EQ(subject.index_of<loop_role::prior>(1), (2 * number + 1) / 3);
    EXPECT_EQ(subject.index_of<loop_role::groups>(1), 0U) << "there is none";
  }
}

TEST(grid_tile, runs_over_the_batch_where_there_is_no_loop) {
  using policy = tiles_of<4, kind::plain>;
  for (const size rows : {1, 3, 4, 9}) {
    std::multiset<std::pair<size, size>> seen, expected;
    for (unsigned number = 0; number < rows / 4 + 2; ++number) {
      const tile<policy> subject(number, rows);
      for (unsigned lane = 0; lane < 4; ++lane) {
        if (subject.has(lane)) seen.emplace(subject.in(lane), subject.out(lane));
      }
    }
    for (size r = 0; r < rows; ++r) expected.emplace(5 + r * 100000, 7 + r * 200000);
    EXPECT_EQ(seen, expected) << rows << " rows";
    EXPECT_EQ(policy::numbers().workgroups(rows), (rows + 3) / 4);
  }
}

}  // namespace
