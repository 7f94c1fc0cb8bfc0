// SPDX-License-Identifier: Apache-2.0
// PNG files are spelled out chunk by chunk, with deflate's stored blocks.
#include "formats/images/format.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

#include "formats/images/bytes.hpp"      // message_of, number, samples_of, zlib
#include "formats/temporary_folder.hpp"  // temporary_folder

namespace {

using namespace wingbeat::formats;
using namespace wingbeat::test;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr auto big = std::endian::big;
constexpr unsigned grey = 0, rgb = 2, palette = 3, grey_alpha = 4, rgb_alpha = 6;

std::string chunk(const std::string& type, const std::string& body) {
  std::uint32_t crc = 0xFFFFFFFF;
  for (const char c : type + body) {
    crc ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320u : 0);
  }
  return number(body.size(), 4, big) + type + body + number(~crc, 4, big);
}

struct png_fields {
  std::uint32_t width = 1, height = 1;
  unsigned bits = 8, colour = grey, interlace = 0;
  std::string before = {};  ///< Chunks before the pixels.
};

/// `rows` has a filter's byte before each row.
std::string png(const png_fields& fields, const std::string& rows) {
  const std::string header = number(fields.width, 4, big) + number(fields.height, 4, big) +
                             number(fields.bits, 1) + number(fields.colour, 1) +
                             std::string(2, '\0') + number(fields.interlace, 1);
  return "\x89PNG\r\n\x1A\n" + chunk("IHDR", header) + fields.before + chunk("IDAT", zlib(rows)) +
         chunk("IEND", "");
}

image_stack read(const std::string& content, std::size_t limit_bytes = 1 << 20) {
  return read_by(open_png, content, "in.png", limit_bytes);
}

std::string refusal(const std::string& content, std::size_t limit_bytes = 1 << 20) {
  return message_of([&] { (void)read(content, limit_bytes); });
}

class png_image : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!has_image_libraries()) GTEST_SKIP() << "this build has no libpng";
  }
};

TEST_F(png_image, is_no_animation) {
  const auto animated = [](std::uint32_t n_frames) {
    return png({.before = chunk("acTL", number(n_frames, 4, big) + number(0, 4, big))},
               std::string("\0\7", 2));
  };
  EXPECT_THAT(samples_of(read(animated(1))), ElementsAre(7));
  EXPECT_THAT(refusal(animated(3)), HasSubstr("is an animation of 3 images"));
}

TEST_F(png_image, has_the_numbers_of_the_file_at_every_depth) {
  using namespace std::string_literals;
  EXPECT_THAT(samples_of(read(png({.width = 3, .bits = 1}, "\0\xA0"s))), ElementsAre(1, 0, 1));
  EXPECT_THAT(samples_of(read(png({.width = 3, .bits = 2}, "\0\xE4"s))), ElementsAre(3, 2, 1));
  EXPECT_THAT(samples_of(read(png({.width = 3, .bits = 4}, "\0\xF0\x70"s))), ElementsAre(15, 0, 7));
  EXPECT_EQ(read(png({.width = 3, .bits = 1}, "\0\xA0"s)).full_scale, 1);
  EXPECT_EQ(read(png({.width = 3, .bits = 4}, "\0\xF0\x70"s)).full_scale, 15);
  EXPECT_EQ(read(png({.bits = 16}, "\0\xF0\x70"s)).full_scale, 65535);
  EXPECT_THAT(samples_of(read(png({.width = 2}, "\0\0\xFF"s))), ElementsAre(0, 255));
  EXPECT_THAT(samples_of(read(png({.width = 2, .bits = 16}, "\0\xFF\xFF\1\2"s))),
              ElementsAre(65535, 258));
}

TEST_F(png_image, has_one_to_four_channels) {
  struct example {
    unsigned colour;
    std::size_t n_channels;
  };
  for (const auto& [colour, n_channels] :
       {example{grey, 1}, example{grey_alpha, 2}, example{rgb, 3}, example{rgb_alpha, 4}}) {
    for (const unsigned bits : {8u, 16u}) {
      std::string row(1, '\0');
      std::vector<double> expected;
      for (std::size_t i = 0; i < 2 * n_channels; ++i) {
        row += number(7 * i + 1, static_cast<int>(bits / 8), big);
        expected.push_back(static_cast<double>(7 * i + 1));
      }
      // No gamma is applied, whatever the file says of it.
      const std::string gamma = chunk("gAMA", number(45455, 4, big));
      const auto image =
          read(png({.width = 2, .bits = bits, .colour = colour, .before = gamma}, row));
      EXPECT_EQ(image.n_channels, n_channels);
      EXPECT_EQ(image.width, 2u);
      EXPECT_EQ(image.height, 1u);
      EXPECT_EQ(samples_of(image), expected) << colour << " " << bits;
    }
  }
}

TEST_F(png_image, expands_a_palette) {
  using namespace std::string_literals;
  const std::string colours = chunk("PLTE", "\1\2\3\4\5\6\7\x8\x9");
  for (const unsigned bits : {2u, 4u, 8u}) {
    const std::string row = bits == 2 ? "\0\x90"s : bits == 4 ? "\0\x21"s : "\0\2\1"s;
    const auto image =
        read(png({.width = 2, .bits = bits, .colour = palette, .before = colours}, row));
    EXPECT_EQ(image.n_channels, 3u);
    EXPECT_THAT(samples_of(image), ElementsAre(7, 8, 9, 4, 5, 6)) << bits;
  }
  const auto clear = read(png(
      {.width = 2, .colour = palette, .before = colours + chunk("tRNS", "\x80\x40")}, "\0\2\1"s));
  EXPECT_EQ(clear.n_channels, 4u);
  EXPECT_THAT(samples_of(clear), ElementsAre(7, 8, 9, 255, 4, 5, 6, 0x40));
  EXPECT_THAT(refusal(png({.colour = palette}, "\0\0"s)), HasSubstr("damaged as a PNG"));
}

TEST_F(png_image, keeps_a_transparent_colour) {
  const auto image = read(png({.width = 2, .bits = 2, .before = chunk("tRNS", number(3, 2, big))},
                              std::string("\0\xE0", 2)));
  EXPECT_EQ(image.n_channels, 1u);
  EXPECT_THAT(samples_of(image), ElementsAre(3, 2));
}

TEST_F(png_image, reads_interlaced_rows) {
  // Adam7 of 3 x 3 pixels: (0,0) in pass 1, (0,2) in 4, (2,0) and (2,2) in 5, (0,1) and (2,1) in 6,
  // row 1 in 7; passes 2 and 3 are empty.
  const std::string passes(
      "\0\1"
      "\0\3"
      "\0\7\x9"
      "\0\2"
      "\0\x8"
      "\0\4\5\6",
      15);
  EXPECT_THAT(samples_of(read(png({.width = 3, .height = 3, .interlace = 1}, passes))),
              ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 9));
}

TEST_F(png_image, undoes_filters) {
  const std::string rows(
      "\0\1\2"
      "\2\1\1"
      "\1\5\1",
      9);  // none, up, left
  EXPECT_THAT(samples_of(read(png({.width = 2, .height = 3}, rows))),
              ElementsAre(1, 2, 2, 3, 5, 6));
}

TEST_F(png_image, refuses_every_truncation) {
  const std::string whole = png({.width = 2, .height = 2}, std::string("\0\1\2\0\3\4", 6));
  (void)read(whole);
  EXPECT_EQ(samples_of(read(whole + "behind")).size(), 4u);
  for (std::size_t n = 0; n < whole.size(); ++n) {
    EXPECT_THAT(refusal(whole.substr(0, n)), StartsWith("in.png: is truncated or damaged as a PNG"))
        << n;
  }
}

TEST_F(png_image, refuses_every_changed_byte_of_a_critical_chunk_quietly) {
  const std::string whole = png({.width = 2, .height = 2}, std::string("\0\1\2\0\3\4", 6));
  ::testing::internal::CaptureStderr();
  for (std::size_t i = 0; i < whole.size() - 12; ++i) {
    std::string damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x55);
    EXPECT_THAT(refusal(damaged), StartsWith("in.png: ")) << i;
  }
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

TEST_F(png_image, refuses_bombs_before_memory_is_taken) {
  const std::string rows("\0\0", 2);
  for (const std::uint32_t side : {30000u, 1000000u, 0x7FFFFFFFu}) {
    EXPECT_THAT(refusal(png({.width = side, .height = side}, rows), SIZE_MAX),
                StartsWith("in.png: "));
    EXPECT_THAT(refusal(png({.width = side, .height = 1}, rows), 1 << 30), StartsWith("in.png: "));
    EXPECT_THAT(refusal(png({.width = 1, .height = side}, rows), 1 << 30), StartsWith("in.png: "));
  }
  EXPECT_THAT(refusal(png({.width = 30000, .height = 30000}, rows), SIZE_MAX),
              HasSubstr("claims 30000 rows of 30000 bytes, but"));
  EXPECT_THAT(refusal(png({.width = 2, .height = 1}, std::string(3, '\0')), 7),
              HasSubstr("claims 1 x 2 x 1 samples of 4 bytes in memory; at most 7 bytes"));
  EXPECT_THAT(refusal(png({.width = 0}, rows)), StartsWith("in.png: "));
}

struct written_png {
  value_range range;
  std::vector<double> samples;
};

written_png written(const image_stack& stack, const image_write_options& options = {}) {
  const temporary_folder folder;
  atomic_file to(folder.path() / "out.png");
  const auto sink = png_sink(to, stack, options);
  sink->add(stack.samples);
  const value_range range = sink->finish().value();
  to.commit();
  const auto again = read(folder.read("out.png"));
  EXPECT_EQ(again.n_channels, stack.n_channels);
  EXPECT_EQ(again.height, stack.height);
  return {range, samples_of(again)};
}

TEST_F(png_image, is_written_from_the_least_to_the_largest_sample) {
  const auto [range, samples] = written(grey_image(2, 2, {-1, 0, 1, 3}));
  EXPECT_EQ(range.black, -1);
  EXPECT_EQ(range.white, 3);
  EXPECT_THAT(samples, ElementsAre(0, 64, 128, 255));
  EXPECT_THAT(written(grey_image(1, 3, {-1, 0, 3}), {.type = number_type::uint16}).samples,
              ElementsAre(0, 16384, 65535));
}

TEST_F(png_image, is_written_from_a_range_and_clamped) {
  const image_write_options bytes{.range = value_range{0, 255}};
  EXPECT_THAT(written(grey_image(1, 5, {-9, 0, 200, 255, 1e30f}), bytes).samples,
              ElementsAre(0, 0, 200, 255, 255));
  image_stack colours = grey_image(1, 1, {1, 2, 3, 4});
  colours.n_channels = 4;
  colours.full_scale = 255;
  EXPECT_THAT(written(colours, bytes).samples, ElementsAre(1, 2, 3, 4));
  colours.samples = std::vector<float>{1, 2, 3, 0.5F};
  colours.full_scale = 0;
  EXPECT_THAT(written(colours, {}).samples, ElementsAre(0, 128, 255, 128)) << "alpha up to 1";
}

TEST_F(png_image, shows_nan_as_black_and_nothing_of_an_empty_range) {
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_THAT(written(grey_image(1, 5, {NAN, -infinity, 2, 4, infinity})).samples,
              ElementsAre(0, 0, 0, 255, 255));
  EXPECT_THAT(written(grey_image(1, 2, {7, 7})).samples, ElementsAre(0, 0));
  EXPECT_THAT(written(grey_image(1, 1, {NAN})).samples, ElementsAre(0));
  image_stack wide = grey_image(1, 2, {});
  const double most = std::numeric_limits<double>::max();
  wide.samples = std::vector<double>{-most, most};
  EXPECT_THAT(written(wide).samples, ElementsAre(0, 255));
}

TEST_F(png_image, refuses_ranges_that_are_none) {
  const temporary_folder folder;
  for (const auto range : {value_range{1, 1}, value_range{2, 1}, value_range{NAN, 1}}) {
    EXPECT_THAT(message_of<wingbeat::plan_error>([&] {
                  write_images(folder.path() / "a.png", grey_image(1, 1, {1}), {.range = range});
                }),
                HasSubstr("the first below the second"));
  }
}

}  // namespace
