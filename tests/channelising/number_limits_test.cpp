// SPDX-License-Identifier: Apache-2.0
// Numbers of a channeliser's requests at the ends of their types: refused in words, or sizes and
// times are those of exact arithmetic. Sanitizers see what is computed meanwhile.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>    // nextafter
#include <cstdint>  // INT64_MAX, SIZE_MAX

#include "channelising/arithmetic/quantise.hpp"  // complex_bytes
#include "support/number_ends.hpp"               // number_ends
#include "support/refusal.hpp"                   // refusal, nothing_refused
#include "wingbeat/channeliser.hpp"

namespace {

using namespace wingbeat;
using namespace test;
using ::testing::HasSubstr;

constexpr std::int64_t earliest = -(std::int64_t{1} << 47), end_of_time = std::int64_t{1} << 60;
constexpr std::int64_t times[] = {
    INT64_MIN,   earliest - 1,          earliest, -1, 0, 1, std::int64_t{1} << 32, end_of_time - 1,
    end_of_time, std::int64_t{1} << 62, INT64_MAX};

const channeliser_spec plain{
    .adc_rate_hz = 1e9, .channels = 16, .taps = 2, .polarisations = 2, .spectra_per_heap = 16};

/// Pushes `count` samples, and returns how many heaps came.
std::size_t push_some(channeliser& bank, queue& on, std::size_t count) {
  const std::vector<std::int16_t> ones(count, 1);
  std::size_t n_heaps = 0;
  const auto take = [&](const channelised_heap&) { ++n_heaps; };
  bank.push(on, {.integers = {ones, ones}, .count = count}, take);
  bank.flush(on, take);
  return n_heaps;
}

class channeliser_numbers : public ::testing::Test {
 protected:
  queue on{first_device(engine::host)};
};

TEST_F(channeliser_numbers, sizes_are_refused_or_exact) {
  const auto fields = [](channeliser_spec& spec) {
    std::vector<std::size_t*> result{&spec.channels, &spec.taps, &spec.polarisations,
                                     &spec.spectra_per_heap};
    if (spec.narrowband) {
      result.insert(result.end(), {&spec.narrowband->decimation, &spec.narrowband->filter_taps});
    }
    return result;
  };
  for (const bool is_narrow : {false, true}) {
    channeliser_spec base = plain;
    if (is_narrow) base.narrowband = {.centre_hz = 1e8, .decimation = 8};
    for (std::size_t i = 0; i < fields(base).size(); ++i) {
      for (const std::size_t number : number_ends) {
        channeliser_spec spec = base;
        *fields(spec)[i] = number;
        SCOPED_TRACE(::testing::Message() << "field " << i << ", " << number);
        channeliser_sizes sizes;
        if (refusal([&] { sizes = sizes_of(spec); }) != nothing_refused) continue;
        EXPECT_EQ(static_cast<long double>(sizes.heap_samples),
                  static_cast<long double>(sizes.spectrum_samples) *
                      static_cast<long double>(sizes.spectra_per_heap));
        EXPECT_EQ(static_cast<long double>(sizes.heap_bytes),
                  static_cast<long double>(spec.channels) *
                      static_cast<long double>(sizes.spectra_per_heap) *
                      static_cast<long double>(spec.polarisations) *
                      static_cast<long double>(channelising::complex_bytes(spec.output)));
      }
    }
  }
}

TEST_F(channeliser_numbers, samples_are_numbered_below_2_to_the_60) {
  constexpr std::size_t count = 4096;
  for (const std::int64_t first : times) {
    SCOPED_TRACE(first);
    const bool is_time = first >= earliest && first < end_of_time;
    EXPECT_EQ(refusal([&] { channeliser{on, plain, first}; }) == nothing_refused, is_time);
    for (const bool is_narrow : {false, true}) {
      channeliser_spec spec = plain;
      if (is_narrow) spec.narrowband = {.centre_hz = 1e8, .decimation = 2};
      channeliser bank{on, spec, 0};
      EXPECT_EQ(refusal([&] { bank.jump(first); }) == nothing_refused, is_time);
      if (!is_time) continue;
      const bool is_end = first > end_of_time - std::int64_t{count};
      const std::size_t least = first == earliest ? 0 : 1;  // output times begin at 0
      EXPECT_EQ(refusal([&] { EXPECT_GE(push_some(bank, on, count), least); }) == nothing_refused,
                !is_end);
    }
  }
  channeliser bank{on, plain, 0};
  EXPECT_THAT(refusal([&] { bank.jump(INT64_MAX); }),
              HasSubstr("the next sample is 9223372036854775807; give -140737488355328 to "
                        "1152921504606846975"));
  for (const std::size_t number : number_ends) {
    if (number < 2) continue;
    EXPECT_NE(refusal([&] {
                const std::vector<std::int16_t> one(1);
                bank.push(on, {.integers = {one, one}, .count = number}, {});
              }),
              nothing_refused);
  }
  EXPECT_THAT(refusal([&] { bank.push(on, {.count = SIZE_MAX}, {}); }),
              HasSubstr("samples follow sample 0; samples are numbered up to 1152921504606846976"));
}

TEST_F(channeliser_numbers, flags_are_one_for_each_packet_of_any_length) {
  for (const std::size_t packet : number_ends) {
    channeliser bank{on, plain, 0};
    const std::vector<std::int16_t> ones(64, 1);
    const auto pushed = [&](std::size_t n_flags) {
      const std::vector<bool> flags(n_flags, true);
      return refusal([&] {
        bank.push(on,
                  {.integers = {ones, ones},
                   .count = 64,
                   .present = {flags, flags},
                   .packet_samples = packet},
                  [](const auto&) {});
      });
    };
    EXPECT_NE(pushed(0), nothing_refused) << packet;
    EXPECT_EQ(pushed(packet == 1 ? 64 : 1) == nothing_refused, packet != 0) << packet;
  }
}

TEST_F(channeliser_numbers, delays_and_gains_begin_at_any_time) {
  for (const std::int64_t start : times) {
    SCOPED_TRACE(start);
    for (const std::int64_t first : {std::int64_t{0}, end_of_time - 4096}) {
      channeliser bank{on, plain, first};
      const bool is_time = start >= 0;
      for (const double rate : {std::nextafter(1.0, 0.0), std::nextafter(-1.0, 0.0)}) {
        EXPECT_EQ(refusal([&] {
                    bank.add_delays(std::vector<delay_model>{
                        {.start_samples = start, .delay_samples = 0x1p47, .rate = rate},
                        {.start_samples = start, .delay_samples = -0x1p47, .rate = -rate}});
                  }) == nothing_refused,
                  is_time);
      }
      EXPECT_EQ(refusal([&] {
                  bank.add_gains({.start_samples = start, .gains = {{1.0F}, {2.0F}}});
                }) == nothing_refused,
                is_time);
      try {
        push_some(bank, on, 4096);
      } catch (const plan_error& refused) {
        EXPECT_THAT(refused.what(), HasSubstr("state smaller delays"));
      }
    }
  }
}

TEST_F(channeliser_numbers, kept_samples_are_refused_or_have_memory) {
  for (const std::size_t kept : number_ends) {
    try {
      channeliser bank{on, plain, 0, kept};
      EXPECT_GT(push_some(bank, on, 4096), 0u);
    } catch (const plan_error& refused) {
      EXPECT_THAT(refused.what(), HasSubstr("kept_samples is"));
    } catch (const device_error& refused) {
      EXPECT_NE(std::string{refused.what()}, "");
    }
  }
}

}  // namespace
