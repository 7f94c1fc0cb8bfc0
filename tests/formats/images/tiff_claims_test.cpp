// SPDX-License-Identifier: Apache-2.0
// Images of a TIFF that have no pages of their own.
#include "formats/images/format.hpp"  // open_tiff

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>  // iota

#include "formats/images/tiff_bytes.hpp"  // tiff, tiff_page

namespace {

using namespace wingbeat::formats;
using namespace wingbeat::test;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

image_stack read(const std::string& content) {
  return read_by(open_tiff, content, "in.tif", 1 << 20);
}

std::string refusal(const std::string& content) {
  return message_of([&] { (void)read(content); });
}

class images_without_pages : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!has_image_libraries()) GTEST_SKIP() << "this build has no libtiff";
  }
};

tiff_values text_of(std::string text) {
  text += '\0';
  return {1, {text.begin(), text.end()}};
}

constexpr std::uint64_t width = 3000;  // so that images have more bytes than padding

/// Numbers 1, 2, .. of three images of one row, in a file with one page that describes them.
std::string without_pages(const std::string& description, std::endian order) {
  std::string data;
  for (std::uint64_t i = 1; i <= 3 * width; ++i) data += number(i, 2, order);
  auto page = tiff_page(width, 1, {data}, 16);
  page.fields[tiff_tag::strip_bytes] = {4, {2 * width}};
  page.fields[tiff_tag::description] = text_of(description);
  return tiff({page}, order);
}

TEST_F(images_without_pages, are_read_as_descriptions_say) {
  std::vector<double> expected(3 * width);
  std::iota(expected.begin(), expected.end(), 1);
  for (const auto order : {std::endian::little, std::endian::big}) {
    for (const char* const description :
         {"ImageJ=1.11a\nimages=3\nslices=3", R"({"shape": [3, 1, 3000], "truncated": true})",
          R"({"shape": [1, 3, 1, 1, 3000], "truncated": true, "axes": "TZCYX"})",
          R"({"shape": [3, 1, 3000]})", "shape=(3, 1, 3000)"}) {
      const auto stack = read(without_pages(description, order));
      EXPECT_EQ(stack.n_images, 3u) << description;
      EXPECT_EQ(samples_of(stack), expected) << description;
    }
    for (const char* const description :
         {"ImageJ=1.11a\n", "images=3", R"({"shape": [)", R"({"shape": [1, 1, 3000]})"}) {
      EXPECT_THAT(refusal(without_pages(description, order)),
                  HasSubstr("has 1 page, and behind the numbers of page 0 room for 2 images"))
          << description;
    }
  }
  // A copy of one page may keep the description of all.
  auto copied = tiff_page(2, 1, {"ab"});
  copied.fields[tiff_tag::description] = text_of(R"({"shape": [300, 1, 2]})");
  EXPECT_THAT(samples_of(read(tiff({copied}))), ElementsAre('a', 'b'));
  auto stack = tiff_page(1, 1, {"abc"});
  stack.fields[tiff_tag::strip_bytes] = {4, {1}};
  stack.fields[tiff_tag::metamorph] = {8, {7, 8, 9}};
  EXPECT_THAT(samples_of(read(tiff({stack}))), ElementsAre('a', 'b', 'c'));
}

TEST_F(images_without_pages, are_refused_that_are_not_there) {
  constexpr auto order = std::endian::little;
  const std::string cut = without_pages("ImageJ=1.11a\nimages=300\n", order);
  EXPECT_THAT(refusal(cut), HasSubstr("says that it holds 300 images, has one page"));
  auto packed = tiff_page(2, 1, {packbits("ab") + packbits("cd")});
  packed.fields[tiff_tag::compression] = {2, {32773}};
  packed.fields[tiff_tag::description] = text_of("ImageJ=1\nimages=2");
  EXPECT_THAT(refusal(tiff({packed})), HasSubstr("says that it holds 2 images"));
}

TEST_F(images_without_pages, are_refused_behind_several_pages) {
  auto page = tiff_page(width, 1, {std::string(3 * width, 'a')});
  page.fields[tiff_tag::strip_bytes] = {4, {width}};
  page.fields[tiff_tag::description] = text_of(R"({"shape": [3, 1, 3000], "truncated": true})");
  EXPECT_THAT(refusal(tiff({page, page})),
              HasSubstr("has 2 pages, and behind the numbers of page 0 room for 2 images"));
}

TEST_F(images_without_pages, are_no_padding) {
  auto page = tiff_page(2, 1, {std::string("ab") + std::string(4000, '\0')});
  page.fields[tiff_tag::strip_bytes] = {4, {2}};
  EXPECT_THAT(samples_of(read(tiff({page, page}))), ElementsAre('a', 'b', 'a', 'b'));
}

}  // namespace
