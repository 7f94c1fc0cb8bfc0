// SPDX-License-Identifier: Apache-2.0
// Which transform is whose, over workgroups of which the last is partial, and addresses that do
// not fit in 32 bits.
#include "wingbeat/device/io/batch.hpp"

#include <gtest/gtest.h>

#include <cstddef>  // size_t

#include "device/io/places.hpp"  // far_memory, lone_team, places

namespace {

using namespace wingbeat::test;
namespace io = wingbeat::device::io;
using wingbeat::device::workgroup::shape;

using four_teams = shape<4, 2, 4>;

// Runs every thread of a grid; `does` gets its team and its member of the batch.
template <class Function>
void for_each_thread(std::size_t workgroups, std::size_t batch, const Function& does) {
  for (std::size_t workgroup = 0; workgroup < workgroups; ++workgroup) {
    for (unsigned id = 0; id < four_teams::workgroup_threads; ++id) {
      const lone_team<four_teams> team{{id}};
      does(team, io::member_of(team, workgroup, batch));
    }
  }
}

// Seed 004: 13 columns, 4 transforms a workgroup, so the last of 4 workgroups has one column.
TEST(batch, thirteen_columns_leave_three_teams_of_the_last_workgroup_absent) {
  unsigned n_present = 0, n_absent = 0;
  for_each_thread(4, 13, [&](const auto& team, io::member who) {
    (who.exists ? n_present : n_absent) += team.thread() == 0 ? 1 : 0;
    EXPECT_EQ(who.exists, who.number < 13);
    if (!who.exists) {
      EXPECT_EQ(who.offset(13), 0u);
    }
  });
  EXPECT_EQ(n_present, 13u);
  EXPECT_EQ(n_absent, 3u);
}

TEST(batch, columns_of_a_partial_last_workgroup_stay_within_the_matrix) {
  const std::size_t columns = 13;
  const auto in = places(4 * columns);
  std::vector<float> out(4 * columns, 0);
  for_each_thread(4, columns, [&](const auto& team, io::member who) {
    const auto load = io::column_of(in.data(), columns, who);
    const auto store = io::column_of(out.data(), columns, who);
    for (unsigned i = team.thread(); i < 4; i += 2) {
      if (!who.exists) {
        EXPECT_EQ(load(i), 0);
      }
      store(i, load(i) + store(i));  // twice in one place would show
    }
  });
  EXPECT_EQ(out, in);
}

TEST(batch, rows_of_a_pitch_leave_the_gaps_alone) {
  const std::size_t pitch = 7, batch = 6;
  auto in = places(pitch * batch);
  std::vector<float> out(pitch * batch, -7);
  for (std::size_t k = 0; k < in.size(); ++k) in[k] = k % pitch < 4 ? in[k] : no_number;
  for_each_thread(3, batch, [&](const auto& team, io::member who) {
    const auto load = io::row_of(in.data(), pitch, who);
    const auto store = io::row_of(out.data(), pitch, who);
    for (unsigned i = team.thread(); i < 4; i += 2) store(i, load(i));
  });
  for (std::size_t k = 0; k < in.size(); ++k) EXPECT_EQ(out[k], k % pitch < 4 ? in[k] : -7) << k;
}

TEST(batch, columns_of_many_matrices) {
  const io::matrices in{.columns = 3, .pitch = 5, .matrix_pitch = 40};
  for (std::size_t b = 0; b < 12; ++b) {
    const auto load = io::column_of(far_memory{0}, in, io::member{b, true});
    for (unsigned i = 0; i < 4; ++i) EXPECT_EQ(load(i), (b / 3) * 40 + i * 5 + b % 3);
  }
  EXPECT_EQ((io::column_of(far_memory{9}, in, io::member{12, false})(3)), 0u);
}

TEST(batch, counts_places_in_64_bits) {
  const std::size_t far = (std::size_t{1} << 32) + 1;
  const io::member last{far, true};
  EXPECT_EQ((io::row_of(far_memory{3}, 1000, last)(7)), 3 + far * 1000 + 7);
  EXPECT_EQ((io::column_of(far_memory{3}, far, last)(7)), 3 + far + 7 * far);
  const lone_team<four_teams> team{{3}};
  EXPECT_EQ((io::member_of(team, far, 8 * far).number), far * 4 + 1);
  EXPECT_EQ((io::pair_of(team, far, 9 * far).second.number), far * 8 + 3);
}

}  // namespace
