// SPDX-License-Identifier: Apache-2.0
// Taps as they lie, and those of correlations reversed and conjugate.
#include "wingbeat/device/functors/taps.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "device/functors/named.hpp"  // names_numbers

namespace {

using namespace wingbeat::device;
using functors::taps;
using functors::taps_numbers;

constexpr size n_taps = 3, n_rows = 2;

TEST(functors_taps, are_real_numbers_in_either_order) {
  const std::vector<float> stored{1, 2, 3, 4, 5, 6};
  for (size row = 0; row < n_rows; ++row) {
    for (size i = 0; i < n_taps; ++i) {
      const auto plain = taps<float, float>{{n_taps, false}, stored.data(), {}, row}.load(i);
      EXPECT_EQ(plain.re, stored[row * n_taps + i]);
      EXPECT_EQ(plain.im, 0);
      const auto turned = taps<float, float>{{n_taps, true}, stored.data(), {}, row}.load(i);
      EXPECT_EQ(turned.re, stored[row * n_taps + n_taps - 1 - i]);
      EXPECT_EQ(turned.im, 0);
    }
  }
}

TEST(functors_taps, are_conjugate_where_they_are_reversed) {
  using functor = taps<complex<double>, double>;
  const std::vector<complex<double>> stored{{1, 10}, {2, 20}, {3, 30}, {4, 40}, {5, 50}, {6, 60}};
  for (size row = 0; row < n_rows; ++row) {
    for (size i = 0; i < n_taps; ++i) {
      const auto plain = functor{{n_taps, false}, stored.data(), {}, row}.load(i);
      EXPECT_EQ(plain.re, stored[row * n_taps + i].re);
      EXPECT_EQ(plain.im, stored[row * n_taps + i].im);
      const auto turned = functor{{n_taps, true}, stored.data(), {}, row}.load(i);
      EXPECT_EQ(turned.re, stored[row * n_taps + n_taps - 1 - i].re);
      EXPECT_EQ(turned.im, -stored[row * n_taps + n_taps - 1 - i].im);
    }
  }
}

TEST(functors_taps, names_its_members) {
  EXPECT_TRUE((ends::has_members<taps_numbers, 2>));
  EXPECT_TRUE(wingbeat::test::names_numbers(taps_numbers{}, 2));
}

}  // namespace
