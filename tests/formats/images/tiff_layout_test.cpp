// SPDX-License-Identifier: Apache-2.0
// Where the parts of a TIFF lie, of sound files and of files made to keep a reader busy.
#include "formats/images/tiff_layout.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "formats/images/tiff_bytes.hpp"  // tiff, tiff_page, tiff_tag

namespace {

using namespace wingbeat::formats;
using namespace wingbeat::test;

std::vector<std::uint64_t> named_offsets(const std::string& content) {
  const byte_source source{as_bytes(content), "x.tif"};
  std::vector<std::uint64_t> offsets;
  tiff_layout{source}.give_named_offsets([&](std::uint64_t value) { offsets.push_back(value); });
  return offsets;
}

TEST(tiff_layout, names_the_blocks_of_all_pages) {
  for (const auto order : {std::endian::little, std::endian::big}) {
    const std::string file =
        tiff({tiff_page(1, 2, {"first", "2nd"}), tiff_page(1, 1, {"third"})}, order);
    const auto offsets = named_offsets(file);
    for (const char* const block : {"first", "2nd", "third"}) {
      EXPECT_THAT(offsets, ::testing::Contains(file.find(block))) << block;
    }
  }
}

// Directories that name parts of one list, again and again: all of them are values of the file's
// bytes many times over.
TEST(tiff_layout, reads_at_most_as_many_bytes_as_the_file_has) {
  constexpr std::size_t n_values = 5000, n_directories = 100, n_entries = 20;
  constexpr std::size_t directory_bytes = 2 + 12 * n_entries + 4, list = 8;
  std::string file = "II" + number(42, 2) + number(list + 4 * n_values, 4);
  for (std::size_t i = 0; i < n_values; ++i) file += number(i, 4);
  for (std::size_t d = 1; d <= n_directories; ++d) {
    const std::size_t next = file.size() + directory_bytes;
    file += number(n_entries, 2);
    for (std::size_t i = 0; i < n_entries; ++i) {
      file += number(tiff_tag::strip_offsets, 2) + number(4, 2) + number(n_values - i, 4) +
              number(list + 4 * i, 4);
    }
    file += number(d < n_directories ? next : 0, 4);
  }
  EXPECT_LE(named_offsets(file).size(), file.size());
}

}  // namespace
