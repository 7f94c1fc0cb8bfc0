// SPDX-License-Identifier: Apache-2.0
// Parts of a search in files: each flipped bit and each cut is refused.
#include "cli/search_part.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/message.hpp"  // message_of
#include "support/folder.hpp"   // folder, content_of, set_content
#include "wingbeat/error.hpp"   // file_error

namespace {

using namespace wingbeat;
using namespace wingbeat::test;
using ::testing::HasSubstr;

class search_parts : public ::testing::Test {
 protected:
  search_parts() {
    searching::search_part part{.n_templates = 20, .templates = {{3, 9}}};
    part.source.micrograph = "m.mrc";
    part.source.arithmetic = "fp32";
    part.source.placement = {.first = {1, -2, 3}};
    part.devices = {"cuda A", "host B"};
    part.kept = {.height = 3, .width = 5, .templates = 6};
    for (std::uint64_t i = 0; i < 15; ++i) part.kept.keys.push_back(i << 40 | 7);
    for (std::uint64_t i = 0; i < 30; ++i) part.kept.unit_sums.push_back(i * 0x123456789abcdef);
    cli::write_part(file(), part);
    content_ = content_of(file());
  }

  [[nodiscard]] std::string file() const { return (at_ / "a.part").string(); }
  [[nodiscard]] std::string refusal_of(const std::string& content) const {
    set_content(file(), content);
    return message_of<file_error>([&] { (void)cli::read_part(file()); });
  }

  folder at_;
  std::string content_;
};

TEST_F(search_parts, are_read_as_written) {
  const searching::search_part part = cli::read_part(file());
  EXPECT_EQ(part.kept.keys.at(14), std::uint64_t{14} << 40 | 7);
  EXPECT_EQ(part.kept.unit_sums.at(29), 29 * std::uint64_t{0x123456789abcdef});
  EXPECT_EQ(part.kept.templates, 6U);
  EXPECT_EQ(part.source.micrograph, "m.mrc");
  EXPECT_EQ(part.source.placement->first, (std::array<std::ptrdiff_t, 3>{1, -2, 3}));
  EXPECT_EQ(part.devices, std::set<std::string>({"cuda A", "host B"}));
  EXPECT_EQ(part.templates.at(0).end, 9U);
}

TEST_F(search_parts, are_refused_with_any_bit_flipped) {
  for (std::size_t i = 0; i < 8 * content_.size(); ++i) {
    std::string damaged = content_;
    damaged[i / 8] = static_cast<char>(damaged[i / 8] ^ 1 << i % 8);
    ASSERT_NE(refusal_of(damaged), "") << "bit " << i;
  }
}

TEST_F(search_parts, are_refused_when_cut_or_longer) {
  for (std::size_t n = 0; n < content_.size(); ++n) {
    ASSERT_NE(refusal_of(content_.substr(0, n)), "") << n << " bytes";
  }
  EXPECT_THAT(refusal_of(content_ + "\n"),
              HasSubstr("no part of a search, or was cut off, damaged"));
}

}  // namespace
