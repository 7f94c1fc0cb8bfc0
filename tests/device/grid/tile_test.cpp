// SPDX-License-Identifier: Apache-2.0
// Tiles share out all butterflies, each once, whatever the loops: counted one by one.
#include "wingbeat/device/grid/tile.hpp"

#include <gtest/gtest.h>

#include <set>
#include <tuple>
#include <vector>

namespace {

using wingbeat::device::size;
using wingbeat::device::grid::loop;
using wingbeat::device::grid::nest;
using wingbeat::device::grid::no_loop;
using wingbeat::device::grid::rows_of_batch;
using wingbeat::device::grid::tile;

template <unsigned Lanes, bool Mirrored, class Nest, bool Flat = false>
struct tiles_of {
  using loops = Nest;
  static constexpr unsigned lanes = Lanes;
  static constexpr bool mirrored = Mirrored, full = false, flat = Flat;
  static constexpr size in_base = 5, out_base = 7, batch_in = 100000, batch_out = 200000;
};

/// Indices of the loops, row of the batch last.
using butterfly = std::vector<size>;

template <class... Loops>
std::vector<butterfly> all_butterflies(nest<Loops...>, size rows) {
  std::vector<butterfly> all{{}};
  for (const size count : {Loops::count..., rows}) {
    std::vector<butterfly> longer;
    for (const butterfly& each : all) {
      for (size i = 0; i < count; ++i) {
        longer.push_back(each);
        longer.back().push_back(i);
      }
    }
    all = longer;
  }
  return all;
}

/// Which butterfly a lane has, as the tile says.
template <class Tile, unsigned Depth, unsigned... Which>
butterfly indices_of(const Tile& here, unsigned lane) {
  if constexpr (Depth == sizeof...(Which)) {
    return {here.template index<Which>(lane)...};
  } else {
    return indices_of<Tile, Depth, Which..., sizeof...(Which)>(here, lane);
  }
}

size sum_of(size base, const butterfly& at, const std::vector<size>& steps) {
  for (size i = 0; i < steps.size(); ++i) base += at[i] * steps[i];
  return base;
}

template <class Policy, class... Loops>
void check(nest<Loops...>, rows_of_batch rows) {
  using tile_type = tile<Policy>;
  const std::vector<size> in{Loops::in..., Policy::batch_in}, out{Loops::out..., Policy::batch_out};
  std::multiset<butterfly> seen;
  const size n_tiles = tile_type::per_row() * rows.count;
  // One row more than there is: a chain's last chunk may be short.
  for (unsigned number = 0; number < n_tiles + tile_type::per_row(); ++number) {
    const tile_type here(number, rows);
    const size row = number / tile_type::per_row();
    EXPECT_EQ(here.template index<no_loop>(0), 0U);
    for (unsigned lane = 0; lane < Policy::lanes; ++lane) {
      if (!here.has(lane)) continue;
      butterfly at = indices_of<tile_type, tile_type::depth>(here, lane);
      at.push_back(row);
      seen.insert(at);
      EXPECT_EQ(here.in(lane), sum_of(Policy::in_base + rows.in * Policy::batch_in, at, in));
      EXPECT_EQ(here.out(lane), sum_of(Policy::out_base + rows.out * Policy::batch_out, at, out));
    }
  }
  const auto all = all_butterflies(nest<Loops...>{}, rows.count);
  EXPECT_EQ(seen, (std::multiset<butterfly>{all.begin(), all.end()}));
}

template <class Policy>
void check() {
  for (const size rows : {1, 2, 5}) {
    check<Policy>(typename Policy::loops{}, {0, 0, rows});
    check<Policy>(typename Policy::loops{}, {3, 11, rows});
  }
}
template <unsigned Lanes, bool Mirrored, class... Loops>
void check() {
  check<tiles_of<Lanes, Mirrored, nest<Loops...>>>();
}
template <unsigned Lanes, class... Loops>
void check_flat() {
  check<tiles_of<Lanes, false, nest<Loops...>, true>>();
}

TEST(grid_tile, shares_out_one_loop) {
  check<1, false, loop<1, 1, 1>>();
  check<4, false, loop<8, 1, 3>>();
  check<4, false, loop<7, 2, 1>>();
  check<8, false, loop<3, 1, 1>>();
  check<1, false, loop<5, 10, 4>>();
}

TEST(grid_tile, shares_out_nested_loops) {
  check<4, false, loop<8, 1, 1>, loop<3, 8, 16>>();
  check<4, false, loop<6, 1, 1>, loop<3, 8, 16>, loop<2, 50, 30>>();
  check<16, false, loop<5, 1, 40>, loop<1, 9, 9>, loop<4, 6, 300>, loop<2, 24, 1200>>();
}

TEST(grid_tile, goes_on_in_the_next_row_where_it_is_flat) {
  check_flat<4, loop<33, 1, 1>, loop<5, 40, 50>>();
  check_flat<16, loop<5, 1, 40>, loop<3, 6, 300>, loop<2, 24, 1200>>();
  check_flat<16, loop<5, 1, 40>, loop<2, 6, 300>, loop<1, 9, 9>>();
  using policy = tiles_of<16, false, nest<loop<33, 1, 1>, loop<5, 33, 33>>, true>;
  EXPECT_EQ(tile<policy>::per_row(), 11U) << "of which the last has 5 butterflies, others 16";
}

TEST(grid_tile, brings_mirror_images_together) {
  check<2, true, loop<2, 1, 1>>();
  check<4, true, loop<8, 1, 1>>();
  check<8, true, loop<8, 3, 1>>();
  check<8, true, loop<64, 1, 2>, loop<3, 64, 128>>();
  using policy = tiles_of<8, true, nest<loop<64, 1, 1>>>;
  for (unsigned number = 0; number < 8; ++number) {
    const tile<policy> here(number, {0, 0, 1});
    for (unsigned lane = 0; lane < 4; ++lane) {
      const unsigned c = here.index<0>(lane), opposite = here.index<0>(lane + 4);
      EXPECT_EQ(opposite, c == 0 ? 32 : 64 - c) << "of column " << c;
    }
  }
}

TEST(grid_tile, runs_over_the_batch_where_there_is_no_loop) {
  using policy = tiles_of<4, false, nest<>>;
  for (const size rows : {1, 3, 4, 9}) {
    std::multiset<std::pair<size, size>> seen, expected;
    for (unsigned number = 0; number < rows / 4 + 2; ++number) {
      const tile<policy> here(number, {2, 3, rows});
      for (unsigned lane = 0; lane < 4; ++lane) {
        if (here.has(lane)) seen.emplace(here.in(lane), here.out(lane));
      }
    }
    for (size r = 0; r < rows; ++r) expected.emplace(5 + (2 + r) * 100000, 7 + (3 + r) * 200000);
    EXPECT_EQ(seen, expected) << rows << " rows";
  }
}

}  // namespace
