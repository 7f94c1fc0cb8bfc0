// SPDX-License-Identifier: Apache-2.0
// Lines along an axis: where their elements lie, which are there, their signs, ends and roots.
#include "wingbeat/device/functors/real_lines.hpp"

#include <gtest/gtest.h>

#include <cstring>  // memcmp
#include <vector>

#include "device/functors/named.hpp"               // names_numbers, names_operands
#include "wingbeat/device/functors/real_load.hpp"  // real_load

namespace {

using namespace wingbeat::device;
using functors::line_numbers;
using read_line = functors::real_line<functors::line_memory<const double, double>, double>;
using written_line = functors::real_line<functors::line_memory<double, double>, double>;

/// The middle axis of [2][4][3], of which elements 1 and 2 are there, behind one number.
line_numbers middle_axis() {
  line_numbers n{.length = 4, .stride = 3, .origin = 0, .first = 1, .end = 3, .base = 1};
  n.loops[0] = {3, 1};
  n.loops[1] = {2, 12};
  n.depth = 2;
  return n;
}

line_numbers reversed_line() {
  line_numbers n{.length = 4, .end = 4};
  n.is_reversed = n.is_alternating = n.has_first_edge = true;
  n.edge = 0.5;
  return n;
}

std::vector<double> counted(std::size_t count) {
  std::vector<double> memory;
  for (std::size_t i = 0; i < count; ++i) memory.push_back(static_cast<double>(i));
  return memory;
}

TEST(functors_real_lines, lie_in_nested_dimensions) {
  const std::vector<double> memory = counted(25);
  for (size row = 0; row < 6; ++row) {
    const read_line line{middle_axis(), memory.data(), {}, row};
    EXPECT_EQ(line.length(), 4U);
    for (size i = 0; i < 4; ++i) {
      const double value = static_cast<double>(1 + row % 3 + row / 3 * 12 + i * 3);
      EXPECT_EQ(line.get(i), i == 1 || i == 2 ? value : 0) << row << ", " << i;
    }
  }
}

TEST(functors_real_lines, are_written_where_they_are) {
  std::vector<double> memory(25, -1);
  for (size row = 0; row < 6; ++row) {
    const written_line line{middle_axis(), memory.data(), {}, row};
    for (size i = 0; i < 4; ++i) line.put(i, static_cast<double>(10 * row + i));
  }
  EXPECT_EQ(memory[0], -1);
  EXPECT_EQ(memory[1], -1) << "element 0 is not there";
  EXPECT_EQ(memory[1 + 3], 1);
  EXPECT_EQ(memory[1 + 2 + 12 + 6], 52);
  EXPECT_EQ(memory[1 + 2 + 12 + 9], -1) << "element 3 is not there";
}

TEST(functors_real_lines, begin_at_their_origin) {
  line_numbers n{.length = 4, .stride = 1, .origin = 2, .first = 2, .end = 4};
  const std::vector<double> memory{20, 30};
  const read_line line{n, memory.data(), {}, 0};
  EXPECT_EQ(line.get(1), 0);
  EXPECT_EQ(line.get(2), 20);
  EXPECT_EQ(line.get(3), 30);
}

TEST(functors_real_lines, are_reversed_and_alternate_and_have_edges) {
  line_numbers n = reversed_line();
  const std::vector<double> memory{8, 1, 2, 3};
  const read_line line{n, memory.data(), {}, 0};
  EXPECT_EQ(line.get(0), 3);
  EXPECT_EQ(line.get(1), -2);
  EXPECT_EQ(line.get(2), 1);
  EXPECT_EQ(line.get(3), -4) << "element 0 of memory, an odd one of the transform";
  std::vector<double> written(4, -1);
  n.scale = 3;
  for (size i = 0; i < 4; ++i) written_line{n, written.data(), {}, 0}.put(i, 1);
  EXPECT_EQ(written, (std::vector<double>{-1.5, 3, -3, 3}));
  n.scale = 1;
  n.has_first_edge = false;
  n.has_last_edge = true;
  EXPECT_EQ((read_line{n, memory.data(), {}, 0}.get(0)), 1.5);
}

TEST(functors_real_lines, are_counted_from_either_end) {
  for (const line_numbers& n : {middle_axis(), reversed_line()}) {
    std::vector<double> memory = counted(25), written(25, -1), expected(25, -1);
    const read_line line{n, memory.data(), {}, 0};
    for (size i = 0; i < 4; ++i) {
      EXPECT_EQ(line.get(3 - i, true), line.get(i)) << i;
      written_line{n, expected.data(), {}, 0}.put(i, line.get(i));
      written_line{n, written.data(), {}, 0}.put(3 - i, line.get(i), true);
    }
    EXPECT_EQ(written, expected);
  }
}

/// Elements one by one, and two at a time.
TEST(functors_real_lines, take_neighbours_at_once) {
  for (line_numbers n : {middle_axis(), reversed_line(), line_numbers{.length = 4, .end = 4}}) {
    for (const size first : {0, 1}) {  // aligned, and not
      n.base = first;
      std::vector<double> expected(25, -1), written(25, -1);
      const written_line one_by_one{n, expected.data(), {}, 0}, line{n, written.data(), {}, 0};
      for (size i = 0; i < 4; ++i) one_by_one.put(i, static_cast<double>(10 + i));
      line.put_run<2>(0, {{10, 11}});
      line.put_run<2>(2, {{12, 13}});
      EXPECT_EQ(written, expected) << "from element " << first << " of a buffer";
    }
  }
}

/// Elements of the inner transform, of a line that is read at once, are what they are one by one.
template <class Reduction, class Stored>
void expect_held(const line_numbers& n, const std::vector<Stored>& memory) {
  using load = functors::real_load<Reduction, Stored, float>;
  EXPECT_EQ(load::held(n), 8U);
  std::vector<complex<float>> roots;
  for (int e = 0; e < 9; ++e) roots.push_back({1.0F / (1 + e), 0.25F * e});
  const load line{n, memory.data(), {roots.data()}, 1};
  float values[8];
  line.hold(values);
  for (size i = 0; i < 4; ++i) {
    const auto expected = line.load(i), held = line.load_held(values, i);
    EXPECT_EQ(std::memcmp(&held, &expected, sizeof held), 0) << i;
  }
}

TEST(functors_real_lines, are_read_at_once_where_they_are_short_and_whole) {
  std::vector<float> memory;
  for (int i = 0; i < 20; ++i) memory.push_back(static_cast<float>(i * i + 1));
  const std::vector<half_float> narrow(20, half_float{1.5F});
  line_numbers n{.length = 8, .end = 8, .depth = 1};
  n.loops[0] = {2, 8};
  for (const size first : {0, 1}) {  // aligned, and not
    n.base = first;
    expect_held<functors::folded_samples>(n, memory);
    expect_held<functors::folded_bins>(n, memory);
    expect_held<functors::cas_bins>(n, memory);
    expect_held<functors::cas_bins>(n, narrow);
    n.is_reversed = n.is_alternating = n.has_first_edge = true;
    n.edge = 0.5;
    expect_held<functors::folded_samples>(n, memory);
  }
  using load = functors::real_load<functors::cas_bins, float, float>;
  for (const auto change :
       {+[](line_numbers& of) { of.stride = 2; }, +[](line_numbers& of) { of.first = 1; },
        +[](line_numbers& of) { of.length = of.end = 9; },
        +[](line_numbers& of) { of.length = of.end = 32; }}) {
    line_numbers other = n;
    change(other);
    EXPECT_EQ(load::held(other), 0U);
  }
}

TEST(functors_real_lines, have_roots_one_by_one_or_as_products) {
  const std::vector<complex<double>> single{{2, 0}, {0, 3}}, pairs{{1, 0}, {2, 0}, {0, 1}, {5, 0}};
  line_numbers n;
  const double number = 0;
  EXPECT_EQ((read_line{n, &number, {single.data()}, 0}.root(1).im), 3);
  n.fine_bits = 1;
  const read_line line{n, &number, {pairs.data()}, 0};
  EXPECT_EQ(line.root(1).im, 2) << "fine 1 times coarse 0";
  EXPECT_EQ(line.root(3).re, 10) << "fine 1 times coarse 1";
}

TEST(functors_real_lines, names_its_members) {
  line_numbers deepest;
  deepest.depth = functors::max_line_loops;
  deepest.has_roots = true;
  EXPECT_TRUE((ends::has_members<line_numbers, 21>));
  EXPECT_TRUE(wingbeat::test::names_numbers(deepest, 27)) << "loops are named by both of theirs";
  using functor = functors::real_load<functors::folded_bins, float, float>;
  EXPECT_TRUE((wingbeat::test::names_operands<functor, 1>(deepest)));
}

}  // namespace
