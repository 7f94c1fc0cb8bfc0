// SPDX-License-Identifier: Apache-2.0
// Label: cli
// Waterfalls of heaps: which cell a channel and a time are, in recordings of every length.
#include "cli/reports/channelised.hpp"

#include <gtest/gtest.h>

#include <cmath>  // isnan

#include "channelising/arithmetic/quantise.hpp"  // store_complex
#include "reference/channeliser_check.hpp"       // small_spec

namespace {

using namespace wingbeat;

/// A heap of 16 spectra, 1 in every value but for `loud` in one channel of one polarisation.
std::vector<std::byte> heap_of(const channeliser_spec& spec, std::size_t loud_channel) {
  const std::size_t unit = channelising::complex_bytes(spec.output);
  std::vector<std::byte> bytes(sizes_of(spec).heap_bytes);
  for (std::size_t i = 0; i * unit < bytes.size(); ++i) {
    const bool is_loud = i / (16 * spec.polarisations) == loud_channel && i % 2 == 1;
    channelising::store_complex({is_loud ? 100.0 : 1.0, 0}, spec.output,
                                std::span(bytes).subspan(i * unit, unit));
  }
  return bytes;
}

formats::waterfall_chart drawn(const channeliser_spec& spec, std::size_t n_heaps,
                               std::size_t missing, std::size_t loud_heap,
                               std::size_t loud_channel) {
  cli::channel_waterfall waterfall{spec};
  const auto quiet = heap_of(spec, spec.channels), loud = heap_of(spec, loud_channel);
  for (std::size_t h = 0; h < n_heaps; ++h) {
    if (h == missing) continue;
    waterfall.add({.timestamp = static_cast<std::int64_t>((100 + h) * sizes_of(spec).heap_samples),
                   .bytes = h == loud_heap ? loud : quiet,
                   .n_spectra = 16},
                  16);
  }
  return waterfall.chart("sky");
}

TEST(channel_waterfall, puts_powers_where_they_belong) {
  channeliser_spec spec = test::small_spec(64);
  spec.polarisations = 2;
  spec.output = heap_sample::int8;
  const auto chart = drawn(spec, 4, 1, 2, 40);
  ASSERT_EQ(chart.n_columns, 64U);
  ASSERT_EQ(chart.n_rows, 64U);
  ASSERT_EQ(chart.panels.size(), 2U);
  const double heap_s = static_cast<double>(sizes_of(spec).heap_samples) / spec.adc_rate_hz;
  EXPECT_DOUBLE_EQ(chart.y.first, 100 * heap_s);
  EXPECT_DOUBLE_EQ(chart.y.second, 104 * heap_s);
  const double width = spec.adc_rate_hz / 128;
  EXPECT_DOUBLE_EQ(chart.x.first, -width / 2);
  EXPECT_DOUBLE_EQ(chart.x.second, 63.5 * width);
  for (std::size_t p = 0; p < 2; ++p) {
    for (std::size_t row = 0; row < 64; ++row) {
      for (std::size_t k = 0; k < 64; ++k) {
        const double value = chart.panels[p].values[row * 64 + k];
        if (row / 16 == 1) {
          ASSERT_TRUE(std::isnan(value)) << row;
        } else {
          ASSERT_NEAR(value, p == 1 && row / 16 == 2 && k == 40 ? 40 : 0, 1e-9) << row << " " << k;
        }
      }
    }
  }
}

TEST(channel_waterfall, has_rising_frequencies_where_the_spectrum_is_inverted) {
  channeliser_spec spec = test::small_spec(64);
  spec.complex_samples = true;
  const auto loud = heap_of(spec, 40);
  for (const bool is_inverted : {false, true}) {
    const auto axis = cli::sky_axis(spec, 5e9, is_inverted);
    cli::channel_waterfall waterfall{spec, axis};
    cli::channel_powers powers{spec, axis};
    waterfall.add({.bytes = loud, .n_spectra = 16}, 16);
    powers.add({.bytes = loud, .n_spectra = 16}, 16);
    const auto picture = waterfall.chart("sky");
    const double width = spec.adc_rate_hz / 64, shift = is_inverted ? 0.5 : -0.5;
    EXPECT_DOUBLE_EQ(picture.x.first, 5e9 - 32 * width + shift * width);
    EXPECT_DOUBLE_EQ(picture.x.second, 5e9 + 32 * width + shift * width);
    const std::size_t column = is_inverted ? 64 - 1 - 40 : 40;
    const auto curve = powers.chart("sky").series.at(0);
    for (std::size_t k = 0; k < 64; ++k) {
      EXPECT_EQ(picture.panels[0].values[64 + k] > 10, k == column) << k;
      EXPECT_EQ(curve.y[k] > 10, k == column) << k;
      EXPECT_TRUE(k == 0 || curve.x[k] > curve.x[k - 1]) << k;
    }
    EXPECT_DOUBLE_EQ(curve.x[column], 5e9 + (is_inverted ? -8 : 8) * width);
  }
}

TEST(channel_waterfall, joins_spectra_and_channels_that_are_many) {
  channeliser_spec spec = test::small_spec(2048);
  spec.polarisations = 1;
  spec.output = heap_sample::int8;
  const std::size_t n_heaps = 300;  // 4,800 spectra: 8 in a row
  cli::channel_waterfall waterfall{spec};
  const auto quiet = heap_of(spec, spec.channels);
  auto loud = quiet;
  for (std::size_t s = 0; s < 8; ++s) loud[2 * (1001 * 16 + s)] = std::byte{10};
  for (std::size_t h = 0; h < n_heaps; ++h) {
    waterfall.add({.timestamp = static_cast<std::int64_t>(h * sizes_of(spec).heap_samples),
                   .bytes = h == 201 ? loud : quiet,
                   .n_spectra = 16},
                  16);
  }
  const auto chart = waterfall.chart("sky");
  ASSERT_EQ(chart.n_columns, 1024U);
  ASSERT_EQ(chart.n_rows, 600U);
  for (std::size_t row = 0; row < chart.n_rows; ++row) {
    for (std::size_t c = 0; c < 1024; ++c) {
      // Of two channels and eight spectra one channel has 100 times the power.
      ASSERT_NEAR(chart.panels[0].values[row * 1024 + c],
                  row == 402 && c == 500 ? 10 * std::log10(50.5) : 0, 1e-9)
          << row << " " << c;
    }
  }
}

TEST(channel_waterfall, joins_as_many_channels_as_divide_them) {
  channeliser_spec spec = test::small_spec(1500);
  spec.polarisations = 2;
  spec.output = heap_sample::int8;
  const auto chart = drawn(spec, 2, 2, 1, 1499);
  ASSERT_EQ(chart.n_columns, 750U);
  ASSERT_EQ(chart.n_rows, 32U);
  for (std::size_t row = 0; row < 32; ++row) {
    for (std::size_t c = 0; c < 750; ++c) {
      const bool is_loud = row >= 16 && c == 749;
      ASSERT_NEAR(chart.panels[1].values[row * 750 + c], is_loud ? 10 * std::log10(5000.5) : 0,
                  1e-9)
          << row << " " << c;
    }
  }
}

}  // namespace
