// SPDX-License-Identifier: Apache-2.0
// Lines whose elements are those of a functor's rows: read, written and reduced.
#include "wingbeat/device/functors/fused_lines.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "device/ends/fixed_rows.hpp"                  // as
#include "wingbeat/device/functors/real_load.hpp"      // real_load
#include "wingbeat/device/functors/real_store.hpp"     // real_store
#include "wingbeat/device/functors/reduced_lines.hpp"  // fused_reducer

namespace {

using namespace wingbeat::device;
using namespace wingbeat::device::functors;
using ::testing::ElementsAre;

constexpr size points = 12;  // [3][4], in two rows

struct yours {
  using element = int;
  struct operands {
    double factor;
  };
  struct partial {
    unsigned rows, numbers;
  };
  static double load(const int* in, operands given, size row, size i) {
    return given.factor * in[100 * row + i];
  }
  static void store(int* out, operands given, size row, size i, double value) {
    out[100 * row + i] = static_cast<int>(given.factor * value);
  }
  static partial start() { return {0, 0}; }
  static void add(partial& sum, operands, size row, size i, double) {
    sum.rows += unsigned(row);
    sum.numbers += unsigned(i);
  }
  static void combine(partial& sum, partial other) { sum.numbers += other.numbers; }
  static void finish(int* out, operands, size row, partial sum) { out[row] = int(sum.numbers); }
};

constexpr ends::fused_numbers plain{
    .length = points, .is_real = true, .taken = ends::reals::unpaired};
constexpr ends::fused_numbers with_operand{
    .length = points, .is_real = true, .taken = ends::reals::unpaired, .n_operands = 1};
template <template <class, class> class Memory>
using lines_of = fused<Memory, yours, wingbeat::test::as<with_operand, double>>;

/// Line r is column r mod 4 of row r / 4.
line_numbers columns() {
  line_numbers n{.length = 3, .stride = 4, .end = 3};
  n.loops[0] = {4, 1};
  n.loops[1] = {2, points};
  n.depth = 2;
  return n;
}

fused_operands<yours, double> times(double factor) {
  fused_operands<yours, double> given{};
  given.yours = {factor};
  return given;
}

TEST(functors_fused_lines, are_read_by_rows_of_all_axes) {
  std::vector<int> memory(200);
  for (int i = 0; i < 200; ++i) memory[static_cast<std::size_t>(i)] = i;
  const real_load<cas_bins, lines_of<fused_reader>, double> line{columns(), memory.data(), times(2),
                                                                 4 + 3};
  EXPECT_EQ(line.load(0), 2 * 103);
  EXPECT_EQ(line.load(2), 2 * 111);
}

TEST(functors_fused_lines, are_written_by_rows_of_all_axes) {
  std::vector<int> memory(200);
  const real_store<even_extension, lines_of<fused_writer>, double> line{columns(), memory.data(),
                                                                        times(3), 4 + 1};
  line.store(0, complex<double>{5, 0});
  line.store(1, complex<double>{7, 0});
  EXPECT_EQ(memory[101], 15);
  EXPECT_EQ(memory[105], 21);
}

TEST(functors_fused_lines, are_reduced_and_finished_for_their_row) {
  yours::partial sum = yours::start();
  std::vector<int> sums(2);
  for (size row = 4; row < 8; ++row) {  // the lines of row 1
    const real_store<even_extension, lines_of<fused_reducer>, double> line{columns(), sum, times(1),
                                                                           row};
    for (size i = 0; i < points / 4; ++i) line.store(i, complex<double>{1, 0});
    line.finish(sums.data());
  }
  EXPECT_EQ(sum.rows, points);
  EXPECT_THAT(sums, ElementsAre(0, 66));
}

struct factors {
  using element = double;
  static double load(const double*, size row, size i) { return double(1000 * row + i); }
};

TEST(functors_fused_lines, are_memory_times_a_load_without_a_buffer) {
  const std::vector<double> memory(24, 2);
  const real_load<cas_bins, fused<multiplied_memory, factors, wingbeat::test::as<plain, double>>,
                  double>
      line{columns(), memory.data(), {}, 4 + 3};
  EXPECT_EQ(line.load(0), 2 * 1003);
  EXPECT_EQ(line.load(2), 2 * 1011);
}

}  // namespace
