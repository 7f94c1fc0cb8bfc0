// SPDX-License-Identifier: Apache-2.0
// Seed 004's tables of contiguous access: which element of the input each thread holds, with
//     index = (workgroup . transforms + transform) . length + thread + l . threads.
// (The seed's last rows, of workgroup 1, show thread 1 under the number of thread 0.)
#include "wingbeat/device/io/contiguous.hpp"

#include <gtest/gtest.h>

#include "device/io/places.hpp"          // places, places_of, lone_team
#include "wingbeat/device/io/batch.hpp"  // row_of, member_of

namespace {

using namespace wingbeat::test;
namespace io = wingbeat::device::io;
using wingbeat::device::workgroup::shape;

using row = std::vector<float>;

// The table's line of a thread, counted over the whole workgroup.
template <class Shape>
row line(const std::vector<float>& memory, unsigned workgroup, unsigned id, std::size_t batch) {
  const lone_team<Shape> team{{id}};
  const auto load = io::row_of(memory.data(), Shape::length, io::member_of(team, workgroup, batch));
  return places_of<Shape>(team.thread(), load);
}

TEST(contiguous, one_transform_as_in_the_table) {
  using one = shape<16, 4, 1>;
  const auto memory = places(16);
  EXPECT_EQ(line<one>(memory, 0, 0, 1), (row{0, 4, 8, 12}));
  EXPECT_EQ(line<one>(memory, 0, 1, 1), (row{1, 5, 9, 13}));
  EXPECT_EQ(line<one>(memory, 0, 2, 1), (row{2, 6, 10, 14}));
  EXPECT_EQ(line<one>(memory, 0, 3, 1), (row{3, 7, 11, 15}));
}

TEST(contiguous, two_transforms_in_a_workgroup_as_in_the_table) {
  using two = shape<16, 4, 2>;
  const auto memory = places(16 * 16);
  EXPECT_EQ(line<two>(memory, 0, 0, 16), (row{0, 4, 8, 12}));
  EXPECT_EQ(line<two>(memory, 0, 1, 16), (row{1, 5, 9, 13}));
  EXPECT_EQ(line<two>(memory, 0, 2, 16), (row{2, 6, 10, 14}));
  EXPECT_EQ(line<two>(memory, 0, 3, 16), (row{3, 7, 11, 15}));
  EXPECT_EQ(line<two>(memory, 0, 4, 16), (row{16, 20, 24, 28}));
  EXPECT_EQ(line<two>(memory, 0, 5, 16), (row{17, 21, 25, 29}));
  EXPECT_EQ(line<two>(memory, 0, 6, 16), (row{18, 22, 26, 30}));
  EXPECT_EQ(line<two>(memory, 0, 7, 16), (row{19, 23, 27, 31}));
  EXPECT_EQ(line<two>(memory, 1, 0, 16), (row{32, 36, 40, 44}));
  EXPECT_EQ(line<two>(memory, 1, 1, 16), (row{33, 37, 41, 45}));
  EXPECT_EQ(line<two>(memory, 7, 7, 16), (row{243, 247, 251, 255}));
}

TEST(contiguous, stores_where_it_loads) {
  std::vector<float> memory(8, no_number);
  const io::contiguous store{memory.data() + 2};
  for (unsigned i = 0; i < 4; ++i) store(i, static_cast<float>(i));
  EXPECT_EQ(loaded(store, 4), (row{0, 1, 2, 3}));
  for (const std::size_t beside : {0, 1, 6, 7}) EXPECT_NE(memory[beside], memory[beside]);
}

}  // namespace
