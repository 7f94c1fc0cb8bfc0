// SPDX-License-Identifier: Apache-2.0
// Threads of workgroups, one after another, against a loop over all elements.
#include "wingbeat/device/functors/box_copy.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace {

using wingbeat::device::size;
using wingbeat::device::functors::box_copy;

/// One thread of a workgroup.
struct thread_of {
  size number;
  unsigned id;

  [[nodiscard]] size index() const { return number; }
  [[nodiscard]] unsigned thread() const { return id; }
};

/// Returns what a copy of 3 x 5 rows leaves, from [i][j][row] to [j][i][row] with gaps of one.
std::vector<int> copied(size row, unsigned part_threads, size part_count, unsigned n_threads) {
  const size parts = (row + part_count - 1) / part_count, gap = row + 1;
  const box_copy copy{{1, 1, 1, 1, 3, 5, row},
                      {0, 0, 0, 0, 5 * row, row, 1},
                      {0, 0, 0, 0, gap, 3 * gap, 1},
                      parts,
                      part_count,
                      part_threads};
  EXPECT_EQ(copy.all_parts(), 15 * parts);
  std::vector<int> in(15 * row), out(15 * gap, -1);
  for (size i = 0; i < in.size(); ++i) in[i] = static_cast<int>(i);
  const size of_workgroup = n_threads / part_threads;
  for (size number = 0; number * of_workgroup < copy.all_parts(); ++number) {
    for (unsigned id = 0; id < n_threads; ++id) {
      copy.copy(thread_of{number, id}, in.data(), out.data(), n_threads);
    }
  }
  return out;
}

TEST(box_copy, copies_every_element_to_its_place) {
  for (const size row : {1U, 2U, 7U, 33U}) {
    std::vector<int> wanted(15 * (row + 1), -1);
    for (size i = 0; i < 3; ++i) {
      for (size j = 0; j < 5; ++j) {
        for (size k = 0; k < row; ++k) {
          wanted[(j * 3 + i) * (row + 1) + k] = static_cast<int>((i * 5 + j) * row + k);
        }
      }
    }
    EXPECT_EQ(copied(row, 1, 8, 8), wanted) << row;
    EXPECT_EQ(copied(row, 8, 16, 8), wanted) << row;
    EXPECT_EQ(copied(row, 4, 32, 16), wanted) << row;
  }
}

}  // namespace
