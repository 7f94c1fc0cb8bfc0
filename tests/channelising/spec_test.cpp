// SPDX-License-Identifier: Apache-2.0
// Which descriptions are refused, in words, and the sizes that follow from the others.
#include "channelising/spec.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "support/refusal.hpp"  // refusal

namespace {

using namespace wingbeat;
using namespace wingbeat::channelising;
using ::testing::HasSubstr;
using namespace wingbeat::test;

channeliser_spec usual() {
  channeliser_spec spec;
  spec.adc_rate_hz = 1712e6;
  return spec;
}

/// Returns what is refused once `change` has changed the usual description.
template <class Change>
std::string why(Change change) {
  channeliser_spec spec = usual();
  change(spec);
  return refusal([&] { validate(spec); });
}

TEST(channeliser_spec, is_refused_field_by_field) {
  EXPECT_EQ(why([](auto&) {}), nothing_refused);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(why([](auto& s) { s.channels = 97; }),
              HasSubstr("channels is 97, which has a prime factor above 13; the nearest counts "
                        "without are 96 and 98"));
  EXPECT_THAT(why([](auto& s) { s.channels = 65521; }), HasSubstr("are 65520 and 65536"));
  EXPECT_THAT(why([](auto& s) { s.channels = 1; }), HasSubstr("channels is 1; give 2 to 65536"));
  EXPECT_THAT(why([](auto& s) { s.channels = 131072; }), HasSubstr("give 2 to 65536"));
  EXPECT_THAT(why([](auto& s) { s.taps = 0; }), HasSubstr("taps is 0; give 1 to 64"));
  EXPECT_THAT(why([](auto& s) { s.taps = 65; }), HasSubstr("taps is 65"));
  EXPECT_THAT(why([](auto& s) { s.window = filter_window{7}; }), HasSubstr("window is 7"));
  EXPECT_THAT(why([&](auto& s) { s.weight_cutoff = nan; }), HasSubstr("weight_cutoff is nan"));
  EXPECT_THAT(why([](auto& s) {
                s.complex_samples = true;
                s.channels = 2;
                s.taps = 1;
              }),
              HasSubstr("none above 0 of 2 weights; give 2 taps"));
  EXPECT_THAT(why([](auto& s) { s.adc_rate_hz = 0; }), HasSubstr("adc_rate_hz is 0"));
  EXPECT_THAT(why([](auto& s) { s.sample_bits = 17; }), HasSubstr("sample_bits is 17; give 2"));
  EXPECT_THAT(why([](auto& s) { s.polarisations = 3; }), HasSubstr("give 1 or 2"));
  EXPECT_THAT(why([](auto& s) { s.spectra_per_heap = 8; }), HasSubstr("spectra_per_heap is 8"));
  EXPECT_THAT(why([](auto& s) { s.spectra_per_heap = 24; }), HasSubstr("a power of two"));
  EXPECT_THAT(why([](auto& s) { s.output = heap_sample{9}; }), HasSubstr("output is 9"));
  EXPECT_THAT(why([](auto& s) { s.dither = dither_kind{4}; }), HasSubstr("dither is 4"));
  EXPECT_THAT(why([](auto& s) { s.missing = missing_policy{4}; }), HasSubstr("missing is 4"));
  EXPECT_THAT(why([](auto& s) { s.evaluation = evaluation_point{4}; }),
              HasSubstr("evaluation is 4"));
  EXPECT_THAT(why([](auto& s) { s.between = precision::bf16; }),
              HasSubstr("between is bf16; choose fp32 or fp16"));
  EXPECT_THAT(why([](auto& s) { s.between = precision{9}; }),
              HasSubstr("between is 9, which is none of its values; choose fp32 or fp16"));
  EXPECT_THAT(why([](auto& s) {
                s.dither = dither_kind::uniform;
                s.output = heap_sample::fp16;
              }),
              HasSubstr("floating point; choose dither none"));
  EXPECT_THAT(why([](auto& s) {
                s.dither = dither_kind::none;
                s.seed = 5;
              }),
              HasSubstr("seed is 5, and there is no dither; leave it 0"));
}

TEST(channeliser_spec, is_refused_for_its_tables) {
  EXPECT_THAT(why([](auto& s) { s.gains = {{0, {{1}}}}; }), HasSubstr("are of 1 polarisations"));
  EXPECT_THAT(why([](auto& s) { s.gains = {{0, {{1, 2}, {1}}}}; }), HasSubstr("has 2 gains"));
  EXPECT_THAT(why([](auto& s) {
                s.gains = {{5, {{1}, {1}}}, {5, {{1}, {1}}}};
              }),
              HasSubstr("at sample 5 after 5"));
  EXPECT_THAT(why([](auto& s) { s.gains = {{-1, {{1}, {1}}}}; }), HasSubstr("from 0 on"));
  const float infinite = std::numeric_limits<float>::infinity();
  EXPECT_THAT(why([&](auto& s) { s.gains = {{0, {{1}, {infinite}}}}; }), HasSubstr("finite gains"));
  EXPECT_THAT(why([](auto& s) { s.delays = {{}}; }), HasSubstr("delays are of 1 polarisations"));
  EXPECT_THAT(why([](auto& s) { s.delays = {{}, {{0, 0, 2}}}; }), HasSubstr("between -1 and 1"));
}

TEST(channeliser_spec, is_refused_for_its_narrowband) {
  const auto spec_of = [](const narrowband_spec& band) {
    return why([&](auto& s) { s.narrowband = band; });
  };
  EXPECT_EQ(spec_of({428e6, 8}), nothing_refused);
  EXPECT_EQ(spec_of({428e6, 7, 64e6}), nothing_refused);
  EXPECT_THAT(spec_of({900e6, 8}), HasSubstr("centre_hz is 900000000; give 0 to 856000000"));
  EXPECT_THAT(spec_of({428e6, 7}), HasSubstr("give an even decimation, or a pass_bandwidth_hz"));
  EXPECT_THAT(spec_of({428e6, 1}), HasSubstr("decimation is 1; give 2 to"));
  EXPECT_THAT(spec_of({428e6, 8, 107e6}), HasSubstr("below 107000000"));
  EXPECT_THAT(spec_of({428e6, 8, 0.0}), HasSubstr("above 0"));
  EXPECT_THAT(spec_of({428e6, 8, {}, std::size_t{1} << 30}), HasSubstr("filter_taps"));
}

TEST(channeliser_spec, has_the_sizes_of_the_whole_band) {
  const auto sizes = sizes_of(usual());
  EXPECT_EQ(sizes.transform, 8192u);
  EXPECT_EQ(sizes.subsampling, 1u);
  EXPECT_EQ(sizes.spectrum_samples, 8192u);
  EXPECT_EQ(sizes.window_samples, 16 * 8192u);
  EXPECT_EQ(sizes.spectra_per_heap, 256u);
  EXPECT_EQ(sizes.heap_samples, 256 * 8192u);
  EXPECT_EQ(sizes.heap_bytes, 4u << 20);
  EXPECT_EQ(sizes.evaluation_offset, 0);
  EXPECT_TRUE(has_dither(usual()));
}

TEST(channeliser_spec, takes_products_of_small_primes_of_channels) {
  const struct {
    std::size_t channels, spectra_per_heap;
  } cases[] = {{2, 1 << 19}, {15, 1 << 16}, {27, 1 << 15}, {1000, 1024}, {1001, 1024},
               {1024, 1024}, {1536, 512},   {6000, 128},   {60000, 16},  {65536, 16}};
  for (const auto& c : cases) {
    auto spec = usual();
    spec.channels = c.channels;
    const auto sizes = sizes_of(spec);
    EXPECT_EQ(sizes.transform, 2 * c.channels);
    EXPECT_EQ(sizes.spectra_per_heap, c.spectra_per_heap) << c.channels;
    EXPECT_EQ(sizes.heap_bytes, c.channels * c.spectra_per_heap * 4);
  }
}

// An odd count of complex channels has the same number of them on both sides of the middle.
TEST(channeliser_spec, has_frequencies_of_odd_counts) {
  channeliser_spec spec{.adc_rate_hz = 30, .channels = 15};
  EXPECT_DOUBLE_EQ(middle_channel(spec), 7.5);
  EXPECT_DOUBLE_EQ(channel_hz(spec, 14), 14);
  spec.complex_samples = true;
  EXPECT_DOUBLE_EQ(middle_channel(spec), 7);
  EXPECT_DOUBLE_EQ(channel_hz(spec, 0), -14);
  EXPECT_DOUBLE_EQ(channel_hz(spec, 7), 0);
  EXPECT_DOUBLE_EQ(channel_hz(spec, 14), 14);
}

TEST(channels_per_point, divide_the_channels) {
  EXPECT_EQ(channels_per_point(64, 1024), 1U);
  EXPECT_EQ(channels_per_point(1024, 1024), 1U);
  EXPECT_EQ(channels_per_point(65536, 1024), 64U);
  EXPECT_EQ(channels_per_point(1500, 1024), 2U);
  EXPECT_EQ(channels_per_point(3125, 1024), 5U);
  EXPECT_EQ(channels_per_point(28561, 1024), 169U);
}

TEST(channeliser_spec, has_the_sizes_of_a_narrowband) {
  auto spec = usual();
  spec.narrowband = {{428e6, 8}};
  spec.evaluation = evaluation_point::window_centre;
  auto sizes = sizes_of(spec);
  EXPECT_EQ(sizes.transform, 8192u);
  EXPECT_EQ(sizes.filter_taps, 128u);
  EXPECT_EQ(sizes.window_samples, 16 * 8192 * 8 + 120u);
  EXPECT_EQ(sizes.evaluation_offset, (16 * 8192 * 8 + 119) / 2.0);
  EXPECT_EQ(pass_edge(spec), 0.25);
  spec.narrowband = {{428e6, 8, 64e6}};
  sizes = sizes_of(spec);
  EXPECT_EQ(sizes.transform, 4096u);
  EXPECT_EQ(sizes.subsampling, 16u);
  EXPECT_EQ(sizes.filter_taps, 256u);
  EXPECT_DOUBLE_EQ(pass_edge(spec), 64.0 / 107 / 2);
}

}  // namespace
