// SPDX-License-Identifier: Apache-2.0
// What the atomic updates of numbers_probe.hpp begin with, and what they leave on any device.
#pragma once

#include <gtest/gtest.h>

#include <cmath>  // signbit
#include <limits>
#include <vector>

#include "device/numbers_probe.hpp"  // n_cells, n_updates

namespace wingbeat::test {

template <class T>
std::vector<T> first_cells() {
  using limits = std::numeric_limits<T>;
  const T least = limits::has_infinity ? T(0) - limits::infinity() : limits::min();
  std::vector<T> cells(n_cells, least);
  cells[0] = cells[1] = 0;
  return cells;
}

template <class T>
void expect_cells(const std::vector<T>& got) {
  const T sum = T(n_updates / 16 * 120);  // 0 + 1 + .. + 15 is 120
  EXPECT_EQ(got[0], sum);
  EXPECT_EQ(got[1], T(T(0) - sum));
  EXPECT_EQ(got[2], T(n_updates - 1));
  EXPECT_EQ(got[3], T(T(0) - T(1)));
  if constexpr (std::numeric_limits<T>::has_infinity) {
    EXPECT_EQ(got[4], T(n_updates - 2)) << "the others were NaN";
    EXPECT_EQ(got[5], T(0));
    EXPECT_FALSE(std::signbit(got[5])) << "0 is greater than -0";
  }
}

}  // namespace wingbeat::test
