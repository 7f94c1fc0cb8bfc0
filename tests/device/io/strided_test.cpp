// SPDX-License-Identifier: Apache-2.0
// Seed 004's strided access, by the seed's formulas:
//     index = (workgroup . transforms + transform) + (thread + l . threads) . stride,
// a column for each transform. The table that the seed prints contradicts them: there threads 0
// to 3 of column 0 read columns 0 to 3, each in rows 0 to 3 only, so that no thread group reads a
// whole column. A thread must be one row, not one column, from the next, and `threads` rows from
// its own next element; the column is that of the transform. This test follows the formulas.
#include "wingbeat/device/io/strided.hpp"

#include <gtest/gtest.h>

#include <set>

#include "device/io/places.hpp"           // places, places_of, lone_team
#include "wingbeat/device/io/batch.hpp"   // column_of, member_of
#include "wingbeat/device/io/padded.hpp"  // padded

namespace {

using namespace wingbeat::test;
namespace io = wingbeat::device::io;
using wingbeat::device::workgroup::shape;

using row = std::vector<float>;
using two = shape<16, 4, 2>;
using two_padded = shape<32, 8, 2>;

constexpr std::size_t width = 16;

row line(const std::vector<float>& memory, unsigned workgroup, unsigned id) {
  const lone_team<two> team{{id}};
  const auto load = io::column_of(memory.data(), width, io::member_of(team, workgroup, width));
  return places_of<two>(team.thread(), load);
}

row padded_line(const std::vector<float>& memory, unsigned workgroup, unsigned id) {
  const lone_team<two_padded> team{{id}};
  const auto column = io::column_of(memory.data(), width, io::member_of(team, workgroup, width));
  return places_of<two_padded>(team.thread(), io::padded{column, 16});
}

TEST(strided, columns_by_the_formulas) {
  const auto memory = places(16 * width);
  EXPECT_EQ(line(memory, 0, 0), (row{0, 64, 128, 192}));
  EXPECT_EQ(line(memory, 0, 1), (row{16, 80, 144, 208}));
  EXPECT_EQ(line(memory, 0, 2), (row{32, 96, 160, 224}));
  EXPECT_EQ(line(memory, 0, 3), (row{48, 112, 176, 240}));
  EXPECT_EQ(line(memory, 0, 4), (row{1, 65, 129, 193}));
  EXPECT_EQ(line(memory, 0, 5), (row{17, 81, 145, 209}));
  EXPECT_EQ(line(memory, 0, 6), (row{33, 97, 161, 225}));
  EXPECT_EQ(line(memory, 0, 7), (row{49, 113, 177, 241}));
  EXPECT_EQ(line(memory, 1, 0), (row{2, 66, 130, 194}));
  EXPECT_EQ(line(memory, 1, 1), (row{18, 82, 146, 210}));
  EXPECT_EQ(line(memory, 7, 7), (row{63, 127, 191, 255}));
}

TEST(strided, padded_columns_by_the_formulas) {
  const auto memory = places(16 * width);
  EXPECT_EQ(padded_line(memory, 0, 0), (row{0, 64, 128, 192, pad, pad, pad, pad}));
  EXPECT_EQ(padded_line(memory, 0, 3), (row{48, 112, 176, 240, pad, pad, pad, pad}));
  EXPECT_EQ(padded_line(memory, 0, 4), (row{1, 65, 129, 193, pad, pad, pad, pad}));
  EXPECT_EQ(padded_line(memory, 1, 1), (row{18, 82, 146, 210, pad, pad, pad, pad}));
}

TEST(strided, all_threads_together_read_every_element_once) {
  const auto memory = places(16 * width);
  std::multiset<float> seen;
  for (unsigned workgroup = 0; workgroup < 8; ++workgroup) {
    for (unsigned id = 0; id < two::workgroup_threads; ++id) {
      for (const float place : line(memory, workgroup, id)) seen.insert(place);
    }
  }
  std::multiset<float> expected;
  for (const float value : memory) expected.insert(value - 1);
  EXPECT_EQ(seen, expected);
}

TEST(strided, stores_every_third_and_counts_in_64_bits) {
  std::vector<float> memory(7, no_number);
  const io::strided store{memory.data(), 3};
  for (unsigned i = 0; i < 3; ++i) store(i, static_cast<float>(i));
  EXPECT_EQ(loaded(store, 3), (row{0, 1, 2}));
  for (const std::size_t beside : {1, 2, 4, 5}) EXPECT_NE(memory[beside], memory[beside]);

  EXPECT_EQ((io::strided{far_memory{5}, 1 << 20}(1 << 20)), (std::size_t{1} << 40) + 5);
}

}  // namespace
