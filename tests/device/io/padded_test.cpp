// SPDX-License-Identifier: Apache-2.0
// Seed 004's table of padded rows, and what padding, cropping and guards must leave alone: NaN
// lies where nothing may be read, and `within` fails the test where something is.
#include "wingbeat/device/io/padded.hpp"

#include <gtest/gtest.h>

#include "device/io/places.hpp"               // places, places_of, lone_team, within
#include "wingbeat/device/io/batch.hpp"       // row_of, member_of
#include "wingbeat/device/io/contiguous.hpp"  // contiguous
#include "wingbeat/device/io/cropped.hpp"     // cropped
#include "wingbeat/device/io/guarded.hpp"     // guarded

namespace {

using namespace wingbeat::test;
namespace io = wingbeat::device::io;
using wingbeat::device::workgroup::shape;

using row = std::vector<float>;
using two = shape<32, 8, 2>;

row line(const std::vector<float>& memory, unsigned workgroup, unsigned id) {
  constexpr unsigned valid = 16;
  const lone_team<two> team{{id}};
  const auto signal = io::row_of(memory.data(), valid, io::member_of(team, workgroup, 16));
  return places_of<two>(team.thread(), io::padded{signal, valid});
}

TEST(padded, rows_as_in_the_table) {
  const auto memory = places(16 * 16);
  EXPECT_EQ(line(memory, 0, 0), (row{0, 4, 8, 12, pad, pad, pad, pad}));
  EXPECT_EQ(line(memory, 0, 1), (row{1, 5, 9, 13, pad, pad, pad, pad}));
  EXPECT_EQ(line(memory, 0, 2), (row{2, 6, 10, 14, pad, pad, pad, pad}));
  EXPECT_EQ(line(memory, 0, 3), (row{3, 7, 11, 15, pad, pad, pad, pad}));
  EXPECT_EQ(line(memory, 0, 4), (row{16, 20, 24, 28, pad, pad, pad, pad}));
  EXPECT_EQ(line(memory, 0, 5), (row{17, 21, 25, 29, pad, pad, pad, pad}));
  EXPECT_EQ(line(memory, 0, 6), (row{18, 22, 26, 30, pad, pad, pad, pad}));
  EXPECT_EQ(line(memory, 0, 7), (row{19, 23, 27, 31, pad, pad, pad, pad}));
  EXPECT_EQ(line(memory, 1, 0), (row{32, 36, 40, 44, pad, pad, pad, pad}));
  EXPECT_EQ(line(memory, 1, 1), (row{33, 37, 41, 45, pad, pad, pad, pad}));
}

TEST(padded, reads_nothing_outside_for_any_number_of_valid_elements) {
  const auto memory = places(16);
  for (unsigned valid = 0; valid <= 16; ++valid) {
    const auto got = loaded(io::padded{within{memory.data(), valid}, valid}, 16);
    for (unsigned i = 0; i < 16; ++i) EXPECT_EQ(got[i], i < valid ? memory[i] : 0) << valid;
  }
}

TEST(padded, puts_zeros_on_both_sides_of_a_signal_that_begins_late) {
  const auto memory = places(3);
  const io::padded centred{within{memory.data(), 3}, 3, 2};
  EXPECT_EQ(loaded(centred, 8), (row{0, 0, 1, 2, 3, 0, 0, 0}));
}

TEST(padded, does_not_let_what_lies_behind_a_row_in) {
  std::vector<float> memory(2 * 8, no_number);
  for (const std::size_t k : {0, 1, 2, 8, 9, 10}) memory[k] = static_cast<float>(k);
  for (const std::size_t number : {0u, 1u}) {
    const auto signal = io::row_of(memory.data(), 8, io::member{number, true});
    const float first = static_cast<float>(8 * number);
    EXPECT_EQ(loaded(io::padded{signal, 3}, 8), (row{first, first + 1, first + 2, 0, 0, 0, 0, 0}));
  }
}

TEST(cropped, keeps_its_part_and_touches_nothing_else) {
  for (unsigned first = 0; first <= 8; ++first) {
    for (unsigned count = 0; first + count <= 8; ++count) {
      std::vector<float> memory(10, -7);
      const io::cropped store{io::contiguous{memory.data() + 1}, first, count};
      for (unsigned i = 0; i < 8; ++i) store(i, static_cast<float>(i));
      for (unsigned k = 0; k < 10; ++k) {
        const bool is_kept = k >= 1 && k < 1 + count;
        EXPECT_EQ(memory[k], is_kept ? static_cast<float>(first + k - 1) : -7) << first << count;
      }
    }
  }
}

TEST(guarded, gives_zero_and_stores_nothing_where_a_transform_is_absent) {
  std::vector<float> memory{no_number, no_number};
  const io::guarded absent{within{memory.data(), 0}, false};
  EXPECT_EQ(loaded(absent, 4), (row{0, 0, 0, 0}));
  const io::guarded no_store{io::contiguous{memory.data()}, false};
  no_store(0, 5.0f);
  EXPECT_NE(memory[0], memory[0]);

  const io::guarded pattern{io::contiguous{memory.data()}, true};
  pattern(1, 5.0f);
  EXPECT_EQ(pattern(1), 5);
}

}  // namespace
