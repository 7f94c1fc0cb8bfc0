// SPDX-License-Identifier: Apache-2.0
// Label: opencl
// Levels counted on devices that compile kernels, against counts one by one.
#include "channelising/stream/level_counter.hpp"

#include <gtest/gtest.h>

#include "channelising/arithmetic/packed_samples.hpp"  // pack_samples, packed_bytes
#include "reference/channeliser_check.hpp"             // gaussian
#include "support/on_engine.hpp"                       // on_engine, compiled_engines, engine_name
#include "wingbeat/wingbeat.hpp"

namespace {

using namespace wingbeat;
using channelising::level_counter;
using device::channeliser::histogram_numbers;

class level_counters : public test::on_engine {
 protected:
  /// Counts a stream in two parts, the second twice as the other polarisation, and collects between
  /// and twice at the end.
  void check(const histogram_numbers& numbers) {
    const unsigned bits = numbers.sample_bits;
    const std::size_t first = 24, middle = 70'008, end = 200'000;
    const double limit = (1 << (bits - 1)) - 1;
    const auto samples = test::gaussian(end, limit / 2, bits, limit);
    std::vector<std::byte> packed(channelising::packed_bytes(end, bits) / 16 * 16 + 16);
    channelising::pack_samples(samples, bits, 0, packed);
    buffer plane{*on, packed.size()};
    plane.write(packed.data(), packed.size());
    std::vector<input_level> expected(2), levels(2);
    for (std::size_t p = 0; p < 2; ++p) {
      for (auto* each : {&expected[p], &levels[p]}) {
        each->histogram.assign(std::size_t{1} << bits, 7);
        each->sum_of_squares = 100;
      }
    }
    const auto expect = [&](std::size_t p, std::size_t from, std::size_t to) {
      for (const std::int64_t x : std::span(samples).subspan(from, to - from)) {
        ++expected[p].histogram[static_cast<std::size_t>(x + (1 << (bits - 1)))];
        expected[p].sum_of_squares += static_cast<std::uint64_t>(x * x);
      }
    };
    level_counter counter{*on, numbers, 2};
    counter.enqueue(*on, 0, plane.view(), first, middle - first);
    expect(0, first, middle);
    counter.collect(levels);
    expect_equal(levels, expected);
    counter.enqueue(*on, 0, plane.view(), middle, end - middle);
    for (int i = 0; i < 2; ++i) counter.enqueue(*on, 1, plane.view(), middle, end - middle);
    expect(0, middle, end);
    for (int i = 0; i < 2; ++i) expect(1, middle, end);
    for (int i = 0; i < 2; ++i) counter.collect(levels);
    expect_equal(levels, expected);
  }

  static void expect_equal(const std::vector<input_level>& levels,
                           const std::vector<input_level>& expected) {
    for (std::size_t p = 0; p < 2; ++p) {
      EXPECT_TRUE(levels[p].histogram == expected[p].histogram) << p;
      EXPECT_EQ(levels[p].sum_of_squares, expected[p].sum_of_squares) << p;
    }
  }
};

TEST_P(level_counters, count_every_sample_once) {
  for (const unsigned bits : {2U, 5U, 10U, 16U}) {
    SCOPED_TRACE(bits);
    check(channelising::histogram_for(bits, on->device()));
  }
}

TEST_P(level_counters, count_as_on_a_gpu) {
  device_info gpu = on->device();
  gpu.is_gpu = true;
  for (const unsigned bits : {10U, 16U}) {
    SCOPED_TRACE(bits);
    const auto numbers = channelising::histogram_for(bits, gpu);
    EXPECT_GT(numbers.threads, 1U);
    EXPECT_EQ(numbers.slices(), bits == 16 ? 8U : 1U);
    check(numbers);
  }
}

INSTANTIATE_TEST_SUITE_P(engines, level_counters, test::compiled_engines(), test::engine_name);

}  // namespace
