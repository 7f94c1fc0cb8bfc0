// SPDX-License-Identifier: Apache-2.0
// Histograms of packed samples on threads of the processor, against counts one by one: every width,
// parts of a stream, and workgroups that count some of the bins.
#include "wingbeat/device/channeliser/sample_histogram.hpp"

#include <gtest/gtest.h>

#include <cstdint>  // int16_t
#include <random>
#include <span>
#include <vector>

#include "channelising/arithmetic/packed_samples.hpp"  // pack_samples, packed_bytes
#include "wingbeat/emulate.hpp"                        // run_grid

namespace {

using namespace wingbeat;
using namespace wingbeat::device::channeliser;

template <unsigned Bits, unsigned Bins, unsigned Threads>
struct policy {
  static constexpr histogram_numbers numbers() { return {Bits, Bins, Threads, 256}; }
};

std::vector<std::int16_t> noise(std::size_t count, unsigned bits) {
  std::mt19937 engine{bits};
  const int low = -(1 << (bits - 1)), high = (1 << (bits - 1)) - 1;
  std::uniform_int_distribution<int> uniform{low, high};
  std::vector<std::int16_t> samples(count);
  for (auto& x : samples) x = static_cast<std::int16_t>(uniform(engine));
  samples[count - 8] = static_cast<std::int16_t>(low);
  samples[count - 1] = static_cast<std::int16_t>(high);
  return samples;
}

/// Counts samples `first` to `first + count` of a stream that ends with them.
template <class Policy>
void expect_counts(std::size_t first, std::size_t count) {
  constexpr histogram_numbers numbers = Policy::numbers();
  const auto samples = noise(first + count, numbers.sample_bits);
  const std::size_t n_bytes = channelising::packed_bytes(samples.size(), numbers.sample_bits);
  // No word more, for the sanitizers to see one that is read.
  std::vector<unsigned> words((n_bytes + 3) / 4), totals(std::size_t{1} << numbers.sample_bits, 5);
  channelising::pack_samples(samples, numbers.sample_bits, 0,
                             {reinterpret_cast<std::byte*>(words.data()), n_bytes});
  auto expected = totals;
  for (const int sample : std::span(samples).subspan(first)) {
    ++expected[static_cast<std::size_t>(sample + (1 << (numbers.sample_bits - 1)))];
  }
  std::vector<unsigned> scratch(numbers.scratch_bytes() / sizeof(unsigned), 99);
  run_grid(numbers.workgroups(first, count), numbers.threads, [&](emulated_group group) {
    sample_histogram<Policy, emulated_group>{
        {words.data(), totals.data(), first, count}, reinterpret_cast<char*>(scratch.data()), group}
        .run();
  });
  EXPECT_TRUE(totals == expected) << numbers.sample_bits << " bits, " << first << " + " << count;
}

template <unsigned Bits>
void expect_width() {
  using of = policy<Bits, 1U << Bits, 3>;
  expect_counts<of>(0, 8 * 40);
  expect_counts<of>(0, 1024);
  expect_counts<of>(40, 24);
  expect_counts<of>(8, 8);
  expect_counts<of>(232, 800);
  expect_counts<policy<Bits, (1U << Bits), 1>>(24, 600);
  expect_counts<policy<Bits, (1U << Bits) / 4, 2>>(24, 600);
}

template <unsigned... Bits>
void expect_widths(std::integer_sequence<unsigned, Bits...>) {
  (expect_width<Bits + 2>(), ...);
}

TEST(sample_histogram, counts_every_width_from_and_to_every_eighth_sample) {
  expect_widths(std::make_integer_sequence<unsigned, 15>{});
  for (std::size_t first = 0; first < 72; first += 8) {
    for (std::size_t count = 8; count < 600; count += 56) {
      expect_counts<policy<10, 1024, 2>>(first, count);
    }
  }
}

TEST(sample_histogram, has_workgroups_for_all_samples) {
  constexpr histogram_numbers numbers{16, 8192, 256, 65536};
  EXPECT_EQ(numbers.slices(), 8U);
  EXPECT_EQ(numbers.workgroups(0, 65536), 8U);
  EXPECT_EQ(numbers.workgroups(8, 65536), 16U);  // a unit of 32 more
  EXPECT_EQ(numbers.workgroups(65536, 8), 8U);
  EXPECT_EQ(numbers.scratch_bytes(), 32768U);
}

}  // namespace
