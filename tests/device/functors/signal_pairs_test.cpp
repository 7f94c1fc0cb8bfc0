// SPDX-License-Identifier: Apache-2.0
// Each value of each signal by its indices [batch][channel][i], loaded and stored.
#include "wingbeat/device/functors/signal_pairs.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "device/functors/named.hpp"                  // names_numbers, names_operands
#include "wingbeat/device/functors/signal_load.hpp"   // signal_load
#include "wingbeat/device/functors/signal_store.hpp"  // signal_store

namespace {

using namespace wingbeat::device;
using functors::signal_pair_numbers;
using load = functors::signal_load<half_float, float>;
using store = functors::signal_store<half_float, float>;

constexpr size length = 5, channels = 3;
constexpr float untouched = -1;

class functors_signal_pairs : public ::testing::TestWithParam<size> {
 protected:
  functors_signal_pairs() {
    for (size i = 0; i < batch * channels * length; ++i) {
      signals.emplace_back(static_cast<float>(i + 1));
      gate.emplace_back(static_cast<float>(i % 4));
    }
    for (size b = 0; b < batch; ++b)
      lengths.push_back(static_cast<unsigned>((b + 2) % (length + 1)));
  }

  /// Calls check(row, i, is the imaginary part, signal of the batch, place) for each value.
  template <class Check>
  void each_value(const Check& check) const {
    for (size row = 0; row < (batch + 1) / 2 * channels; ++row) {
      for (size i = 0; i < length; ++i) {
        for (const bool is_second : {false, true}) {
          const size channel = row / ((batch + 1) / 2);
          const size signal = 2 * (row % ((batch + 1) / 2)) + (is_second ? 1 : 0);
          check(row, i, is_second, signal, (signal * channels + channel) * length + i);
        }
      }
    }
  }

  size batch = GetParam();
  std::vector<half_float> signals, gate;
  std::vector<unsigned> lengths;
};

TEST_P(functors_signal_pairs, are_loaded_as_both_parts_of_rows) {
  for (const bool is_gated : {false, true}) {
    for (const bool is_ragged : {false, true}) {
      const signal_pair_numbers n{length, channels, batch, is_gated, is_ragged};
      each_value([&](size row, size i, bool is_second, size signal, size place) {
        const complex<float> z =
            load{n, signals.data(), {gate.data(), lengths.data()}, row}.load(i);
        const bool is_there = signal < batch && (!is_ragged || i < lengths[signal]);
        const float value =
            is_there ? static_cast<float>(signals[place]) * (is_gated ? float(gate[place]) : 1) : 0;
        EXPECT_EQ(is_second ? z.im : z.re, value) << row << ", " << i;
      });
    }
  }
}

TEST_P(functors_signal_pairs, are_stored_from_both_parts_of_rows) {
  for (const bool is_gated : {false, true}) {
    for (const bool is_ragged : {false, true}) {
      const signal_pair_numbers n{length, channels, batch, is_gated, is_ragged};
      std::vector<half_float> results(signals.size(), half_float(untouched));
      for (size row = 0; row < (batch + 1) / 2 * channels; ++row) {
        for (size i = 0; i < length; ++i) {
          const auto number = static_cast<float>(row * length + i);
          store{n, results.data(), {gate.data(), lengths.data()}, row}.store(
              i, {number, 200 + number});
        }
      }
      each_value([&](size row, size i, bool is_second, size signal, size place) {
        if (signal >= batch) return;
        const float value = static_cast<float>(row * length + i) + (is_second ? 200 : 0);
        const bool is_there = !is_ragged || i < lengths[signal];
        const float expected = value * (is_gated ? float(gate[place]) : 1);
        EXPECT_EQ(float(results[place]), is_there ? expected : untouched) << row << ", " << i;
      });
    }
  }
}

INSTANTIATE_TEST_SUITE_P(batches, functors_signal_pairs, ::testing::Values(1, 2, 3, 4));

TEST(functors_signal_pairs, names_its_members) {
  const signal_pair_numbers every{2, 2, 2, true, true, true, 2, 2};
  EXPECT_TRUE((ends::has_members<signal_pair_numbers, 8>));
  EXPECT_TRUE(wingbeat::test::names_numbers(every, 8));
  EXPECT_TRUE((wingbeat::test::names_operands<load, 2>(every)));
  EXPECT_TRUE((wingbeat::test::names_operands<store, 2>(every)));
}

}  // namespace
