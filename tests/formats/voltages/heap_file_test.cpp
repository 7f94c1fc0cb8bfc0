// SPDX-License-Identifier: Apache-2.0
// Heaps of channelised voltages in files, by the formats' names.
#include "formats/voltages/heap_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "formats/files/npy_header.hpp"  // take_npy_header
#include "formats/files/whole_file.hpp"  // read_whole_file
#include "support/folder.hpp"            // folder
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
  const auto heaps =
      formats::heap_format_of(file).create(file, spec_of(heap_sample::int8), spectra);
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

TEST(heap_file, of_another_name_holds_whole_heaps) {
  const folder place;
  EXPECT_EQ(written(place, "x.raw"), heap_from(0));
}

TEST(heap_file, refuses_samples_that_its_format_lacks) {
  EXPECT_NO_THROW(formats::require_heap_file("x.raw", spec_of(heap_sample::int4)));
  EXPECT_NO_THROW(formats::require_heap_file("x.npy", spec_of(heap_sample::int8)));
  try {
    formats::require_heap_file("x.npy", spec_of(heap_sample::int4));
    ADD_FAILURE() << "accepted";
  } catch (const plan_error& refused) {
    EXPECT_THAT(refused.what(), ::testing::HasSubstr("x.npy cannot hold numbers of 4 bits"));
  }
}

}  // namespace
