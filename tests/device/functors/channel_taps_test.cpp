// SPDX-License-Identifier: Apache-2.0
// Each tap of each channel, with and without the channel's skip at the origin.
#include "wingbeat/device/functors/channel_taps.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "device/functors/named.hpp"               // names_numbers, names_operands
#include "wingbeat/device/functors/tap_load.hpp"   // tap_load
#include "wingbeat/device/functors/tap_store.hpp"  // tap_store

namespace {

using namespace wingbeat::device;
using functors::channel_taps_numbers;
using load = functors::tap_load<bfloat, float>;
using store = functors::tap_store<bfloat, float>;

constexpr size n_taps = 4, n_channels = 3, origin = 1;

std::vector<bfloat> numbered(size count) {
  std::vector<bfloat> values;
  for (size i = 0; i < count; ++i) values.emplace_back(static_cast<float>(i + 1));
  return values;
}

TEST(functors_channel_taps, are_loaded_with_the_skip_at_the_origin) {
  const auto taps = numbered(n_taps * n_channels), skip = numbered(n_channels);
  for (const bool has_skip : {false, true}) {
    const channel_taps_numbers n{n_taps, origin, has_skip};
    for (size row = 0; row < n_channels; ++row) {
      for (size i = 0; i < n_taps; ++i) {
        const complex<float> z =
            load{n, taps.data(), {has_skip ? skip.data() : nullptr}, row}.load(i);
        const float added = has_skip && i == origin ? static_cast<float>(row + 1) : 0;
        EXPECT_EQ(z.re, static_cast<float>(row * n_taps + i + 1) + added);
        EXPECT_EQ(z.im, 0);
      }
    }
  }
}

TEST(functors_channel_taps, are_stored_as_real_parts) {
  for (const bool has_skip : {false, true}) {
    const channel_taps_numbers n{n_taps, origin, has_skip};
    std::vector<bfloat> taps(n_taps * n_channels), skip(n_channels);
    for (size row = 0; row < n_channels; ++row) {
      for (size i = 0; i < n_taps; ++i) {
        store{n, taps.data(), {has_skip ? skip.data() : nullptr}, row}.store(
            i, {static_cast<float>(row * n_taps + i), 50});
      }
    }
    for (size row = 0; row < n_channels; ++row) {
      for (size i = 0; i < n_taps; ++i) {
        EXPECT_EQ(float(taps[row * n_taps + i]), static_cast<float>(row * n_taps + i));
      }
      EXPECT_EQ(float(skip[row]), has_skip ? static_cast<float>(row * n_taps + origin) : 0);
    }
  }
}

TEST(functors_channel_taps, names_its_members) {
  EXPECT_TRUE((ends::has_members<channel_taps_numbers, 4>));
  EXPECT_TRUE(wingbeat::test::names_numbers(channel_taps_numbers{}, 4));
  EXPECT_TRUE((wingbeat::test::names_operands<load, 1>({1, 0, true})));
  EXPECT_TRUE((wingbeat::test::names_operands<store, 1>({1, 0, true})));
}

}  // namespace
