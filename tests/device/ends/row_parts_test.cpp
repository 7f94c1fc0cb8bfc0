// SPDX-License-Identifier: Apache-2.0
// Which row and element a functor of signals is asked for where rows are parts of them.
#include "wingbeat/device/ends/row_parts.hpp"

#include <gtest/gtest.h>

#include "device/ends/fixed_rows.hpp"  // as
#include "wingbeat/device/ends/functor.hpp"
#include "wingbeat/device/ends/reduce.hpp"

namespace {

using namespace wingbeat::device;
using namespace wingbeat::device::ends;

constexpr size n_rows = 3, length = 4;  // row 7: part 1 of signal 2
using by_reals = wingbeat::test::as<fused_numbers{
    .length = length, .is_dense = true, .is_real = true, .taken = reals::one_by_one}>;
constexpr size of_row_7 = 7 * length + 3, element_of_row_7 = length + 3;

struct numbers_of_places {
  using element = float;
  static constexpr bool in_order = false;
  static float load(const float*, size row, size i) { return static_cast<float>(100 * row + i); }
  static void store(float* out, size row, size i, float x) { out[100 * row + i] = x; }
};
using of_parts = of_signals<numbers_of_places, n_rows, length>;

TEST(ends_row_parts, number_elements_of_signals_for_loads) {
  const fused_load<of_parts, by_reals> load{nullptr, nullptr};
  EXPECT_EQ(load.re(of_row_7), 200.0F + element_of_row_7);
  EXPECT_FALSE(is_in_order<of_parts>) << "as the functor states";
}

TEST(ends_row_parts, number_elements_of_signals_for_stores) {
  float out[300] = {};
  fused_store<of_parts, by_reals>{out, nullptr}.put_re(of_row_7, 5);
  EXPECT_EQ(out[200 + element_of_row_7], 5.0F);
}

struct last_place {
  using element = size;
  struct partial {
    size row, i;
  };
  static partial start() { return {}; }
  static void add(partial& sum, size row, size i, float) { sum = {row, i}; }
  static void combine(partial&, partial) {}
  static void finish(size* out, size row, partial sum) {
    out[0] = row;
    out[1] = sum.row;
    out[2] = sum.i;
  }
};

struct team_of_one {
  static void workgroup_barrier() {}
};

TEST(ends_row_parts, number_elements_of_signals_for_reductions) {
  size out[3] = {};
  const fused_reduce<of_signals<last_place, n_rows, length>, by_reals> reduce{out, nullptr};
  reduce.put_re(of_row_7, 1);
  unsigned entries[8] = {};
  reduce.finish(team_of_one{}, entries, 0, 1, true, of_row_7);
  EXPECT_EQ(out[0], 2U);
  EXPECT_EQ(out[1], 2U);
  EXPECT_EQ(out[2], element_of_row_7);
}

TEST(ends_row_parts, leave_the_numbers_of_other_functors) {
  const fused_load<numbers_of_places, by_reals> load{nullptr, nullptr};
  EXPECT_EQ(load.re(of_row_7), 703.0F);
}

}  // namespace
