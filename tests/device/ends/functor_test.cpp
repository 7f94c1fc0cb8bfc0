// SPDX-License-Identifier: Apache-2.0
// Which row and element a functor is asked for, whether or not the axis tells where it starts.
#include "wingbeat/device/ends/functor.hpp"

#include <gtest/gtest.h>

#include "device/ends/fixed_rows.hpp"  // as

namespace {

using namespace wingbeat::device;
using namespace wingbeat::device::ends;
using wingbeat::test::as;

struct places {
  using element = float;
  static complex<float> load(const float*, size row, size i) {
    return {static_cast<float>(row), static_cast<float>(i)};
  }
};
struct real_places {
  using element = float;
  static float load(const float*, size row, size i) { return static_cast<float>(100 * row + i); }
};
struct real_stored {
  using element = float;
  static void store(float* out, size row, size i, float x) { out[5 * row + i] = x; }
};
struct row_sums {
  using element = float;
  struct sum {
    float of_row, first;
  };
  static complex<float> prepared(complex<float> z, size row, size i) {
    return {z.re * static_cast<float>(i), static_cast<float>(row)};
  }
  template <class Values>
  static sum output(const Values& values, size, size t) {
    sum result{0, values(unsigned(t)).re};
    for (unsigned i = 0; i < 4; ++i) result.of_row += values(i).re;
    return result;
  }
  static void store(float* out, size row, size t, sum x) { out[2 * row + t] = x.of_row + x.first; }
};
struct gathers : places {
  static constexpr bool in_order = false;
};
struct says_so : places {
  static constexpr bool in_order = true;
};

static_assert(is_in_order<places> && is_in_order<says_so> && !is_in_order<gathers>);

constexpr size columns = 5, length = 3 * columns;  // planes of 3 rows

TEST(ends_functor, finds_the_same_elements_whatever_index_is_told) {
  const fused_load<places, as<fused_numbers{.length = length, .is_dense = true}>> dense{nullptr,
                                                                                        nullptr};
  const fused_load<places, as<fused_numbers{.length = length}>> other{nullptr, nullptr};
  for (size offset = 0; offset < 4 * length; ++offset) {
    const auto z = dense.get(offset, offset % columns),
               same = other.get(offset, offset / columns % 3);
    EXPECT_EQ(z.re, static_cast<float>(offset / length));
    EXPECT_EQ(z.im, static_cast<float>(offset % length));
    EXPECT_EQ(same.re, z.re);
    EXPECT_EQ(same.im, z.im);
    EXPECT_EQ(other.get(offset, 4 * length).im, z.im)
        << "of no dense axis the index does not count";
  }
}

TEST(ends_functor, divides_multiples) {
  for (const size quotient : {size{0}, size{1}, size{513}, size{1} << 40, ~size{0} / 768}) {
    EXPECT_EQ(exact_quotient<1>(quotient), quotient);
    EXPECT_EQ(exact_quotient<64>(quotient * 64), quotient);
    EXPECT_EQ(exact_quotient<513>(quotient * 513), quotient);
    EXPECT_EQ(exact_quotient<768>(quotient * 768), quotient);
  }
}

TEST(ends_functor, finds_elements_of_lines_that_alternate) {
  constexpr size lines = 3, elements = 4;  // rows of [element][line]
  const fused_load<places, as<fused_numbers{.length = lines * elements, .lines = lines}>> rows{
      nullptr, nullptr};
  for (size offset = 0; offset < 4 * lines * elements; ++offset) {
    const size index = offset / lines % elements;
    const auto z = rows.get(offset, index);
    EXPECT_EQ(z.re, static_cast<float>(offset / (lines * elements) * lines + offset % lines));
    EXPECT_EQ(z.im, static_cast<float>(index));
  }
}

TEST(ends_functor, finds_elements_of_rows_of_one_axis) {
  constexpr size kept = 12, first = 3;  // of rows, those from 3 on
  constexpr fused_numbers numbers{.length = kept, .is_dense = true, .first = first};
  constexpr fused_numbers alone{.length = kept, .is_dense = true, .first = first, .lines = 1};
  const fused_load<places, as<numbers>> rows{nullptr, nullptr};
  const fused_load<places, as<alone>> same{nullptr, nullptr};
  for (size offset = 0; offset < 4 * kept; ++offset) {
    const size index = first + offset % kept;
    EXPECT_EQ(same.get(offset, index).re, rows.get(offset, index).re);
    EXPECT_EQ(same.get(offset, index).im, rows.get(offset, index).im);
  }
}

TEST(ends_functor, finds_pairs_of_reals) {
  const fused_load<real_places, as<fused_numbers{.length = 4, .is_dense = true, .is_real = true}>>
      pairs{nullptr, nullptr};
  const auto z = pairs.get(2 * 4 + 3, 3);
  EXPECT_EQ(z.re, 206.0F);
  EXPECT_EQ(z.im, 207.0F);
}

TEST(ends_functor, finds_reals_without_a_neighbour) {
  constexpr fused_numbers numbers{
      .length = 5, .is_dense = true, .is_real = true, .taken = reals::unpaired};
  const fused_load<real_places, as<numbers>> rows{nullptr, nullptr};
  const auto z = rows.get(2 * 5 + 3, 3);
  EXPECT_EQ(z.re, 203.0F);
  EXPECT_EQ(z.im, 0.0F);
  float out[15] = {};
  const fused_store<real_stored, as<numbers>> stored{out, nullptr};
  stored.put(2 * 5 + 3, 3, {7, 8});
  for (size i = 0; i < 15; ++i) EXPECT_EQ(out[i], i == 13 ? 7.0F : 0.0F) << i;
}

TEST(ends_functor, makes_outputs_of_rows_from_prepared_elements) {
  constexpr fused_numbers numbers{.length = 4, .is_dense = true, .outputs = 2};
  float out[4] = {};
  const fused_store<row_sums, as<numbers>> stored{out, nullptr};
  static_assert(decltype(stored)::gathered == 2 && !decltype(stored)::is_across);
  const auto z = stored.prepared(4 + 3, 3, {5, 6});
  EXPECT_EQ(z.re, 15.0F);
  EXPECT_EQ(z.im, 1.0F);
  for (unsigned t = 0; t < 2; ++t) {
    const auto of_row = [](unsigned i) { return complex<float>{static_cast<float>(10 + i), 0}; };
    const struct { row_sums::sum value[1]; } y{{stored.output(4, t, of_row)}};
    stored.put_outputs(4, t, y);
  }
  EXPECT_EQ(out[0] + out[1], 0.0F);
  EXPECT_EQ(out[2], 46.0F + 10);
  EXPECT_EQ(out[3], 46.0F + 11);
}

TEST(ends_functor, finds_reals_of_pairs_one_by_one) {
  constexpr fused_numbers numbers{
      .length = 8, .is_dense = true, .first = 3, .is_real = true, .taken = reals::one_by_one};
  const fused_load<real_places, as<numbers>> rows{nullptr, nullptr};
  const auto z = rows.get(2 * 8 + 3, 5);
  EXPECT_EQ(z.re, 203.0F);
  EXPECT_EQ(z.im, 204.0F);
}

}  // namespace
