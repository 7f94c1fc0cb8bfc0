// SPDX-License-Identifier: Apache-2.0
// Rows of signals, as signal_load has them, alternate with rows of gradients.
#include "wingbeat/device/functors/correlated_load.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "device/functors/named.hpp"  // names_numbers, names_operands

namespace {

using namespace wingbeat::device;
using functors::correlated_numbers;
using functors::signal_pair_numbers;
using load = functors::correlated_load<float, double>;
using load_of_row = functors::signal_load<float, double>;

constexpr size length = 4, channels = 2, batch = 3, origin = 2, n_rows = 2 * channels;

std::vector<float> numbered(float first) {
  std::vector<float> values;
  for (size i = 0; i < batch * channels * length; ++i) {
    values.push_back(first + static_cast<float>(i));
  }
  return values;
}

TEST(functors_correlated_load, alternates_signals_and_gradients) {
  const auto x = numbered(1), y = numbered(100), gate = numbered(3), gradient_gate = numbered(7);
  const std::vector<unsigned> lengths{4, 2, 3};
  for (const bool is_gated : {false, true}) {
    for (const bool is_ragged : {false, true}) {
      const signal_pair_numbers signals{length, channels, batch, is_gated, is_ragged};
      const signal_pair_numbers gradients{length, channels, batch, !is_gated, is_ragged};
      const correlated_numbers n{signals, origin, !is_gated};
      for (size row = 0; row < n_rows; ++row) {
        for (size i = 0; i < length + origin; ++i) {
          const load::operands given{y.data(), gate.data(), gradient_gate.data(), lengths.data()};
          const auto signal = load{n, x.data(), given, 2 * row}.load(i);
          const auto gradient = load{n, x.data(), given, 2 * row + 1}.load(i);
          complex<double> expected_signal{0, 0}, expected_gradient{0, 0};
          if (i < length) {
            expected_signal =
                load_of_row{signals, x.data(), {gate.data(), lengths.data()}, row}.load(i);
          }
          if (i >= origin) {
            expected_gradient =
                load_of_row{gradients, y.data(), {gradient_gate.data(), lengths.data()}, row}.load(
                    i - origin);
          }
          EXPECT_EQ(signal.re, expected_signal.re) << row << ", " << i;
          EXPECT_EQ(signal.im, expected_signal.im) << row << ", " << i;
          EXPECT_EQ(gradient.re, expected_gradient.re) << row << ", " << i;
          EXPECT_EQ(gradient.im, expected_gradient.im) << row << ", " << i;
        }
      }
    }
  }
}

TEST(functors_correlated_load, names_its_members) {
  const correlated_numbers every{{2, 2, 2, true, true, true, 2}, 1, true};
  EXPECT_TRUE((ends::has_members<correlated_numbers, 3>));
  EXPECT_TRUE(wingbeat::test::names_numbers(every, 9));
  EXPECT_TRUE((wingbeat::test::names_operands<load, 4>(every)));
}

}  // namespace
