// SPDX-License-Identifier: Apache-2.0
// Heaps of channelised voltages in files, by the formats' names.
#include "formats/voltages/heap_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>  // round, sqrt
#include <vector>

#include "formats/files/byte_order.hpp"  // load, store
#include "formats/files/hdf5.hpp"        // has_hdf5_library, hdf5_dataset
#include "formats/files/npy_header.hpp"  // take_npy_header
#include "formats/files/whole_file.hpp"  // read_whole_file
#include "formats/signals/signal.hpp"    // read_signal
#include "formats/voltages/read.hpp"     // read_vdif
#include "support/folder.hpp"            // folder
#include "wingbeat/device/half.hpp"      // fp16
#include "wingbeat/error.hpp"            // plan_error

namespace {

using namespace wingbeat;
using namespace wingbeat::test;

constexpr std::size_t spectra = 4, channels = 3;

channeliser_spec spec_of(heap_sample output) {
  channeliser_spec spec;
  spec.channels = channels;
  spec.polarisations = 2;
  spec.output = output;
  return spec;
}

/// Bytes of a heap of int8: of channel k, spectrum s, the first is 16 k + 4 s + `first`.
std::vector<std::byte> heap_from(unsigned first) {
  std::vector<std::byte> bytes(channels * spectra * 4);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(first + i);
  return bytes;
}

/// Writes a whole heap and the first spectrum of another one, and returns the file.
std::vector<std::byte> written(const folder& place, const char* name) {
  const std::string file = place.path() / name;
  const auto heaps = formats::heap_format_of(file).create(
      file, {.bank = spec_of(heap_sample::int8), .spectra = spectra, .n_channels = channels});
  const auto whole = heap_from(0), part = heap_from(100);
  heaps->add({.bytes = whole, .n_spectra = spectra});
  heaps->add({.bytes = part, .n_spectra = 1});
  EXPECT_FALSE(std::filesystem::exists(file));
  heaps->commit();
  const auto content = formats::read_whole_file(file);
  return {content.begin(), content.end()};
}

TEST(heap_file, of_npy_is_one_array_of_all_spectra) {
  const folder place;
  const auto content = written(place, "x.npy");
  std::span<const std::byte> rest = content;
  const auto header = formats::take_npy_header(rest, "x.npy");
  EXPECT_EQ(header.shape, (std::vector<std::size_t>{channels, spectra + 1, 2, 2}));
  ASSERT_EQ(rest.size(), channels * (spectra + 1) * 4);
  for (std::size_t k = 0; k < channels; ++k) {
    for (std::size_t i = 0; i < (spectra + 1) * 4; ++i) {
      const std::size_t expected = i < spectra * 4 ? k * 16 + i : 100 + k * 16 + i - spectra * 4;
      ASSERT_EQ(std::to_integer<std::size_t>(rest[k * (spectra + 1) * 4 + i]), expected)
          << k << " " << i;
    }
  }
}

TEST(heap_file, of_h5_has_frequencies_and_times_of_spectra) {
  if (!formats::has_hdf5_library()) GTEST_SKIP() << "this build has no libhdf5";
  const folder place;
  for (const heap_sample output :
       {heap_sample::int8, heap_sample::int16, heap_sample::fp16, heap_sample::fp32}) {
    const std::string file = place.path() / "x.hdf5";
    formats::heap_file_spec spec{.bank = spec_of(output),
                                 .spectra = spectra,
                                 .n_channels = channels,
                                 .spectrum_rate_hz = 250,
                                 .axis = {1e8, -1e3},
                                 .origin = formats::day_time{60000, 43200}};
    spec.bank.adc_rate_hz = 1e3;
    const auto heaps = formats::heap_format_of(file).create(file, spec);
    // The number of value i is i - 10; of the second heap one spectrum is there.
    const std::size_t bytes_of[] = {0, 1, 2, 2, 4}, n = bytes_of[static_cast<std::size_t>(output)];
    std::vector<std::byte> bytes(channels * spectra * 4 * n);
    for (std::size_t i = 0; i < channels * spectra * 4; ++i) {
      const int value = static_cast<int>(i) - 10;
      std::byte* const target = &bytes[i * n];
      if (n == 1) formats::store(target, static_cast<std::int8_t>(value));
      if (output == heap_sample::int16) formats::store(target, static_cast<std::int16_t>(value));
      if (output == heap_sample::fp16) {
        const unsigned bits = device::fp16::nearest(static_cast<float>(value));
        formats::store(target, static_cast<std::uint16_t>(bits));
      }
      if (n == 4) formats::store(target, static_cast<float>(value));
    }
    heaps->add({.timestamp = 1000, .bytes = bytes, .n_spectra = spectra});
    heaps->add({.timestamp = 5000, .bytes = bytes, .n_spectra = 1});
    heaps->commit();
    const formats::hdf5_dataset voltages{formats::byte_source{file + ":/voltages", 1 << 20}};
    ASSERT_EQ(voltages.lengths(), (std::vector<std::size_t>{channels, spectra + 1, 2}));
    ASSERT_TRUE(voltages.is_complex());
    std::vector<double> read(channels * (spectra + 1) * 4);
    voltages.read(std::vector<std::size_t>(3), voltages.lengths(), read);
    for (std::size_t i = 0; i < read.size(); ++i) {
      const std::size_t k = i / 20, s = i / 4 % 5 % spectra;
      ASSERT_EQ(read[i], static_cast<double>(16 * k + 4 * s + i % 4) - 10) << i;
    }
    const char* const start[] = {"start_mjd"};
    EXPECT_EQ(voltages.attribute(start), 60000.5);
    const auto axis = [&](const char* name) {
      return formats::read_signal(file + ":/" + name).samples;
    };
    EXPECT_THAT(axis("frequency"), ::testing::ElementsAre(1e8, 1e8 - 1e3, 1e8 - 2e3));
    EXPECT_THAT(axis("time"), ::testing::ElementsAre(1, 1.004, 1.008, 1.012, 5));
  }
}

TEST(heap_file, of_another_name_holds_whole_heaps) {
  const folder place;
  EXPECT_EQ(written(place, "x.raw"), heap_from(0));
}

/// Three channels of one polarisation, whose powers in spectrum s are s, 4 + s and 8 + s.
std::vector<std::byte> powers_from(unsigned first) {
  std::vector<std::byte> bytes(channels * spectra * 8);
  for (std::size_t i = 0; i < channels * spectra; ++i) {
    formats::store(&bytes[8 * i], std::sqrt(static_cast<float>(first + i)));
  }
  return bytes;
}

formats::heap_file_spec power_spec(heap_sample stored) {
  channeliser_spec bank = spec_of(heap_sample::fp32);
  bank.polarisations = 1;
  bank.adc_rate_hz = 1000;
  return {.bank = bank,
          .spectra = spectra,
          .n_channels = channels,
          .spectrum_rate_hz = 100,
          .axis = {10e6, 1e6},
          .origin = formats::day_time{60000, 43200},
          .target = "J0534+2200",
          .summed_spectra = 2,
          .stored = stored};
}

/// Returns what stands behind a key of a filterbank's header.
template <class Number>
Number number_behind(const std::vector<std::byte>& content, const std::string& key) {
  const std::string_view text{reinterpret_cast<const char*>(content.data()), content.size()};
  return formats::load<Number>(&content[text.find(key) + key.size()]);
}

// The heap of samples 80 to 119 is missing: two rows in its place are means.
TEST(heap_file, of_fil_has_powers_of_falling_frequencies) {
  const folder place;
  for (const heap_sample stored : {heap_sample::fp32, heap_sample::int8, heap_sample::int16}) {
    const std::string file = place.path() / "x.fil";
    const auto heaps = formats::heap_format_of(file).create(file, power_spec(stored));
    const auto bytes = powers_from(0), later = powers_from(4);
    heaps->add({.timestamp = 40, .bytes = bytes, .n_spectra = spectra});
    heaps->add({.timestamp = 120, .bytes = later, .n_spectra = spectra - 1});
    heaps->commit();
    const auto read = formats::read_whole_file(file);
    const std::vector<std::byte> content{read.begin(), read.end()};
    EXPECT_DOUBLE_EQ(number_behind<double>(content, "fch1"), 12);
    EXPECT_DOUBLE_EQ(number_behind<double>(content, "foff"), -1);
    EXPECT_DOUBLE_EQ(number_behind<double>(content, "tsamp"), 0.02);
    EXPECT_DOUBLE_EQ(number_behind<double>(content, "tstart"), 60000.5 + 0.04 / 86400);
    const int bits = number_behind<std::int32_t>(content, "nbits");
    const std::size_t n_bytes = static_cast<std::size_t>(bits) / 8;
    const auto value = [&](std::size_t row, std::size_t column) -> double {
      const std::byte* number = &content[content.size() - (15 - row * 3 - column) * n_bytes];
      if (bits == 32) return formats::load<float>(number);
      return bits == 16 ? formats::load<std::uint16_t>(number)
                        : formats::load<std::uint8_t>(number);
    };
    // Rows of channel 0 are 1, 5, and of the later heap 9: their mean is 5.
    const double mean = 5, deviation = std::sqrt(32 / 3.);
    const auto expected = [&](double power) {
      if (bits == 32) return power;
      return std::round(bits == 8 ? 64 + 16 * (power - mean) / deviation
                                  : 4096 + 512 * (power - mean) / deviation);
    };
    EXPECT_NEAR(value(0, 2), expected(1), 1e-4) << bits;
    EXPECT_NEAR(value(1, 2), expected(5), 1e-4) << bits;
    EXPECT_NEAR(value(2, 2), expected(mean), 1e-4) << bits;
    EXPECT_NEAR(value(3, 2), expected(mean), 1e-4) << bits;
    EXPECT_NEAR(value(4, 2), expected(9), 1e-4) << bits;
    if (bits == 32) {
      EXPECT_NEAR(value(0, 0), 17, 1e-4) << "the highest channel is first";
    }
  }
}

TEST(heap_file, of_vdif_has_complex_samples_of_threads) {
  const folder place;
  formats::heap_file_spec spec = power_spec(heap_sample::int8);
  spec.bank = spec_of(heap_sample::int8);
  spec.bank.adc_rate_hz = 1000;
  spec.n_channels = 2;
  const std::string file = place.path() / "x.vdif";
  const auto heaps = formats::heap_format_of(file).create(file, spec);
  std::vector<std::byte> bytes(2 * spectra * 4);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i - 16);
  heaps->add({.timestamp = 40, .bytes = bytes, .n_spectra = spectra});
  heaps->add({.timestamp = 120, .bytes = bytes, .n_spectra = spectra});
  heaps->commit();
  const auto content = formats::read_whole_file(file);
  const formats::voltages read = read_vdif(content, "x.vdif", {.sample_rate_hz = 100.0});
  EXPECT_EQ(read.n_polarisations, 2U);
  EXPECT_EQ(read.n_channels, 2U);
  EXPECT_TRUE(read.is_complex);
  EXPECT_EQ(read.present[1], (std::vector<bool>{true, false, true}));
  EXPECT_EQ(read.start->day_mjd, 60000);
  EXPECT_NEAR(read.start->second, 43200.04, 1e-9);
  // [polarisation][channel][spectrum][part]: those of polarisation 1, channel 1 from 2 on.
  for (std::size_t s = 0; s < spectra; ++s) {
    EXPECT_EQ(read.samples[(3 * 12 + s) * 2], static_cast<int>((spectra + s) * 4 + 2) - 16);
    EXPECT_EQ(read.samples[(3 * 12 + s) * 2 + 1], static_cast<int>((spectra + s) * 4 + 3) - 16);
  }
  spec.n_channels = 3;
  EXPECT_THROW((void)formats::heap_format_of(file).create(file, spec), plan_error);
}

TEST(heap_file, refuses_samples_that_its_format_lacks) {
  EXPECT_NO_THROW(formats::require_heap_file("x.raw", heap_sample::int4));
  EXPECT_NO_THROW(formats::require_heap_file("x.npy", heap_sample::int8));
  try {
    formats::require_heap_file("x.npy", heap_sample::int4);
    ADD_FAILURE() << "accepted";
  } catch (const plan_error& refused) {
    EXPECT_THAT(refused.what(), ::testing::HasSubstr("x.npy cannot hold numbers of 4 bits"));
  }
}

}  // namespace
