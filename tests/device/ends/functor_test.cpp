// SPDX-License-Identifier: Apache-2.0
// Which row and element a functor is asked for, whether or not the axis tells where it starts.
#include "wingbeat/device/ends/functor.hpp"

#include <gtest/gtest.h>

namespace {

using wingbeat::device::complex;
using wingbeat::device::size;
using namespace wingbeat::device::ends;

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
struct gathers : places {
  static constexpr bool in_order = false;
};
struct says_so : places {
  static constexpr bool in_order = true;
};

static_assert(is_in_order<places> && is_in_order<says_so> && !is_in_order<gathers>);

constexpr size columns = 5, length = 3 * columns;  // planes of 3 rows

TEST(ends_functor, finds_the_same_elements_whatever_index_is_told) {
  const fused_load<places, fused_as<float, length, true, false, false, 0>> dense{nullptr, nullptr};
  const fused_load<places, fused_as<float, length, false, false, false, 0>> other{nullptr, nullptr};
  for (size at = 0; at < 4 * length; ++at) {
    const auto z = dense.get(at, at % columns), same = other.get(at, at / columns % 3);
    EXPECT_EQ(z.re, static_cast<float>(at / length));
    EXPECT_EQ(z.im, static_cast<float>(at % length));
    EXPECT_EQ(same.re, z.re);
    EXPECT_EQ(same.im, z.im);
    EXPECT_EQ(other.get(at, 4 * length).im, z.im) << "of no dense axis the index does not count";
  }
}

TEST(ends_functor, finds_pairs_of_reals) {
  const fused_load<real_places, fused_as<float, 4, true, true, false, 0>> pairs{nullptr, nullptr};
  const auto z = pairs.get(2 * 4 + 3, 3);
  EXPECT_EQ(z.re, 206.0F);
  EXPECT_EQ(z.im, 207.0F);
}

}  // namespace
