// SPDX-License-Identifier: Apache-2.0
// TIFF files are spelled out by tiff_bytes.hpp.
#include "formats/images/format.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>  // isnan
#include <cstdint>
#include <limits>

#include "formats/images/tiff_bytes.hpp"  // lzw, packbits, tiff, tiff_page
#include "formats/temporary_folder.hpp"   // temporary_folder

namespace {

using namespace wingbeat::formats;
using namespace wingbeat::test;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

image_stack read(const std::string& content, std::size_t limit_bytes = 1 << 20) {
  return read_by(open_tiff, content, "in.tif", limit_bytes);
}

std::string refusal(const std::string& content, std::size_t limit_bytes = 1 << 20) {
  return message_of([&] { (void)read(content, limit_bytes); });
}

/// libtiff's own handlers print; ours must be the only ones.
class tiff_image : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!has_image_libraries()) GTEST_SKIP() << "this build has no libtiff";
    ::testing::internal::CaptureStderr();
    is_capturing_ = true;
  }
  void TearDown() override {
    if (!is_capturing_) return;
    EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  }

 private:
  bool is_capturing_ = false;
};

TEST_F(tiff_image, has_the_numbers_of_the_file_in_both_byte_orders) {
  struct example {
    std::uint64_t bits, format, stored;
    double value;
    bool is_float;
  };
  for (const auto& [bits, format, stored, value, is_float] :
       {example{8, 1, 255, 255, true}, example{8, 2, 255, -1, true},
        example{16, 1, 65535, 65535, true}, example{16, 2, 0x8000, -32768, true},
        example{16, 3, 0x3C01, 1 + 0x1p-10, true}, example{32, 1, 0xFFFFFFFF, 4294967295.0, false},
        example{32, 2, 0xFEFFFFFF, -16777217.0, false}, example{32, 3, 0x3FC00000, 1.5, true},
        example{64, 3, 0x3FB999999999999A, 0.1, false}, example{64, 2, ~0ull, -1, false},
        example{64, 1, 1ull << 53, 0x1p53, false}}) {
    for (const auto order : {std::endian::little, std::endian::big}) {
      const auto image = read(
          tiff({tiff_page(1, 1, {number(stored, static_cast<int>(bits / 8), order)}, bits, format)},
               order));
      EXPECT_THAT(samples_of(image), ElementsAre(value)) << bits << " " << format;
      EXPECT_EQ(std::holds_alternative<std::vector<float>>(image.samples), is_float);
    }
  }
}

TEST_F(tiff_image, unpacks_fewer_bits_than_eight) {
  EXPECT_THAT(samples_of(read(tiff({tiff_page(3, 2, {"\xA0\x40"}, 1)}))),
              ElementsAre(1, 0, 1, 0, 1, 0));
  EXPECT_THAT(samples_of(read(tiff({tiff_page(3, 1, {"\xE4"}, 2)}))), ElementsAre(3, 2, 1));
  EXPECT_THAT(samples_of(read(tiff({tiff_page(3, 1, {"\xF1\x70"}, 4)}))), ElementsAre(15, 1, 7));
  auto white = tiff_page(3, 1, {"\xA0"}, 1);
  white.fields[tiff_tag::meaning] = {2, {0}};  // 0 is white, but a number as any
  EXPECT_THAT(samples_of(read(tiff({white}))), ElementsAre(1, 0, 1));
}

TEST_F(tiff_image, unpacks_twelve_bits) {
  const auto image = read(tiff({tiff_page(3, 1, {"\xFF\xF1\x23\xAB\xC0"}, 12)}));
  EXPECT_THAT(samples_of(image), ElementsAre(0xFFF, 0x123, 0xABC));
  EXPECT_EQ(image.full_scale, 0xFFF);
}

TEST_F(tiff_image, reads_complex_numbers_as_two_channels) {
  for (const auto order : {std::endian::little, std::endian::big}) {
    const auto floats = read(
        tiff({tiff_page(1, 1, {float_bytes(1, order) + float_bytes(-2, order)}, 64, 6)}, order));
    EXPECT_TRUE(floats.is_complex);
    EXPECT_THAT(samples_of(floats), ElementsAre(1, -2));
    const auto whole = read(
        tiff({tiff_page(1, 1, {number(3, 2, order) + number(0xFFFF, 2, order)}, 32, 5)}, order));
    EXPECT_THAT(samples_of(whole), ElementsAre(3, -1));
  }
}

TEST_F(tiff_image, passes_nan) {
  const auto image =
      read(tiff({tiff_page(2, 1, {float_bytes(NAN) + float_bytes(-INFINITY)}, 32, 3)}));
  EXPECT_TRUE(std::isnan(samples_of(image)[0]));
  EXPECT_EQ(samples_of(image)[1], -std::numeric_limits<double>::infinity());
}

TEST_F(tiff_image, reads_strips_of_each_compression) {
  struct example {
    std::uint64_t compression;
    std::string (*pack)(const std::string&);
  };
  const auto as_is = [](const std::string& data) { return data; };
  for (const auto& [compression, pack] : {example{1, as_is}, example{5, lzw}, example{8, zlib},
                                          example{32946, zlib}, example{32773, packbits}}) {
    auto page = tiff_page(2, 5, {pack("abcd"), pack("efgh"), pack("ij")});
    page.fields[tiff_tag::rows_per_strip] = {4, {2}};
    page.fields[tiff_tag::compression] = {2, {compression}};
    EXPECT_THAT(samples_of(read(tiff({page}))),
                ElementsAre('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'))
        << compression;
  }
  auto differences = tiff_page(3, 1, {lzw("\5\1\1")});
  differences.fields[tiff_tag::compression] = {2, {5}};
  differences.fields[tiff_tag::predictor] = {2, {2}};
  EXPECT_THAT(samples_of(read(tiff({differences}))), ElementsAre(5, 6, 7));
  // Programs disagree about it beside other compressions.
  for (const std::uint64_t compression : {1u, 32773u}) {
    auto page = tiff_page(3, 1, {compression == 1 ? "\5\1\1" : packbits("\5\1\1")});
    page.fields[tiff_tag::compression] = {2, {compression}};
    page.fields[tiff_tag::predictor] = {2, {2}};
    for (const std::endian order : {std::endian::little, std::endian::big}) {
      EXPECT_THAT(refusal(tiff({page}, order)), HasSubstr("has Predictor 2 without LZW, deflate"));
    }
    page.fields[tiff_tag::predictor] = {2, {1}};
    EXPECT_FALSE(samples_of(read(tiff({page}))).empty());
  }
}

TEST_F(tiff_image, turns_bits_whose_order_is_reversed) {
  auto page = tiff_page(8, 1, {"\x01"}, 1);
  page.fields[tiff_tag::fill_order] = {2, {2}};
  EXPECT_THAT(samples_of(read(tiff({page}))), ElementsAre(1, 0, 0, 0, 0, 0, 0, 0));
}

TEST_F(tiff_image, refuses_sections_within_a_page_and_grey_channels) {
  auto volume = tiff_page(1, 1, {"abc"});
  volume.fields[tiff_tag::depth] = {4, {3}};
  EXPECT_THAT(refusal(tiff({volume})), HasSubstr("has pages of 3 sections (ImageDepth)"));
  auto channels = tiff_page(1, 1, {"ab"});
  channels.fields[tiff_tag::bits] = {2, {8, 8}};
  channels.fields[tiff_tag::channels] = {2, {2}};
  channels.fields[tiff_tag::extra] = {2, {0}};
  EXPECT_THAT(refusal(tiff({channels})), HasSubstr("has 2 grey channels, none of them alpha"));
  channels.fields[tiff_tag::extra] = {2, {2}};
  EXPECT_THAT(samples_of(read(tiff({channels}))), ElementsAre('a', 'b'));
}

tiff_page_bytes tiled(std::uint64_t width, std::uint64_t height, std::vector<std::string> tiles) {
  auto page = tiff_page(width, height, std::move(tiles));
  page.fields.erase(tiff_tag::rows_per_strip);
  page.fields[tiff_tag::tile_width] = {4, {16}};
  page.fields[tiff_tag::tile_height] = {4, {16}};
  return page;
}

TEST_F(tiff_image, reads_tiles_and_drops_what_juts_out) {
  std::vector<std::string> tiles(4, std::string(256, '?'));
  std::vector<double> expected;
  for (std::size_t y = 0; y < 18; ++y) {
    for (std::size_t x = 0; x < 20; ++x) {
      const auto value = static_cast<unsigned char>(11 * y + x);
      tiles[y / 16 * 2 + x / 16][y % 16 * 16 + x % 16] = static_cast<char>(value);
      expected.push_back(value);
    }
  }
  EXPECT_EQ(samples_of(read(tiff({tiled(20, 18, tiles)}))), expected);
}

TEST_F(tiff_image, reads_planes_together_and_apart) {
  auto together = tiff_page(2, 2,
                            {"rgbRGB"
                             "stuSTU"});
  together.fields[tiff_tag::channels] = {2, {3}};
  together.fields[tiff_tag::bits] = {2, {8, 8, 8}};
  together.fields[tiff_tag::format] = {2, {1, 1, 1}};
  together.fields[tiff_tag::meaning] = {2, {2}};
  const auto image = read(tiff({together}));
  EXPECT_EQ(image.n_channels, 3u);
  EXPECT_THAT(samples_of(image),
              ElementsAre('r', 'g', 'b', 'R', 'G', 'B', 's', 't', 'u', 'S', 'T', 'U'));
  auto apart = together;
  apart.blocks = {"rR", "sS", "gG", "tT", "bB", "uU"};
  apart.fields[tiff_tag::planes] = {2, {2}};
  apart.fields[tiff_tag::rows_per_strip] = {4, {1}};
  EXPECT_EQ(samples_of(read(tiff({apart}))), samples_of(image));
}

TEST_F(tiff_image, expands_a_palette) {
  auto page = tiff_page(3, 1, {"\x21\x30"}, 4);
  page.fields[tiff_tag::meaning] = {2, {3}};
  std::vector<std::uint64_t> colours;  // all reds, all greens, all blues
  for (std::uint64_t i = 0; i < 48; ++i) colours.push_back(1000 * (i / 16) + i % 16);
  page.fields[tiff_tag::palette] = {2, colours};
  const auto image = read(tiff({page}));
  EXPECT_EQ(image.n_channels, 3u);
  EXPECT_THAT(samples_of(image), ElementsAre(2, 1002, 2002, 1, 1001, 2001, 3, 1003, 2003));
  page.fields.erase(tiff_tag::palette);
  EXPECT_THAT(refusal(tiff({page})), StartsWith("in.tif: "));
}

TEST_F(tiff_image, reads_pages_as_a_stack_without_thumbnails) {
  auto thumbnail = tiff_page(1, 1, {"!"});
  thumbnail.fields[tiff_tag::kind] = {4, {1}};
  const auto stack = read(tiff({tiff_page(2, 1, {"ab"}), thumbnail, tiff_page(2, 1, {"cd"})}));
  EXPECT_EQ(stack.n_images, 2u);
  EXPECT_EQ(stack.height, 1u);
  EXPECT_THAT(samples_of(stack), ElementsAre('a', 'b', 'c', 'd'));
  EXPECT_THAT(refusal(tiff({thumbnail})), HasSubstr("thumbnails and masks alone"));
  EXPECT_THAT(
      refusal(tiff({tiff_page(2, 1, {"ab"}), tiff_page(1, 2, {"cd"})})),
      HasSubstr("has pages that differ: 1 x 2 pixels with 1 channel(s) of 8 bits, and 2 x 1"));
  EXPECT_THAT(refusal(tiff({tiff_page(2, 1, {"ab"}), tiff_page(2, 1, {"cdef"}, 16)})),
              HasSubstr("has pages that differ"));
}

TEST_F(tiff_image, tells_the_pixel_size_per_centimetre) {
  auto page = tiff_page(1, 1, {"a"});
  page.fields[tiff_tag::x_resolution] = {8, {100000000}};
  page.fields[tiff_tag::y_resolution] = {8, {50000000}};
  page.fields[tiff_tag::unit] = {2, {3}};
  const auto size = read(tiff({page})).pixel_angstrom;
  EXPECT_DOUBLE_EQ(size.x, 1);
  EXPECT_DOUBLE_EQ(size.y, 2);
  EXPECT_EQ(size.z, 0);
  page.fields[tiff_tag::unit] = {2, {2}};  // inches are for printing
  EXPECT_EQ(read(tiff({page})).pixel_angstrom.x, 0);
}

TEST_F(tiff_image, refuses_every_truncation) {
  for (const auto order : {std::endian::little, std::endian::big}) {
    auto packed = tiff_page(4, 2, {zlib("abcdefgh")});
    packed.fields[tiff_tag::compression] = {2, {8}};
    for (const auto& page : {tiff_page(4, 2, {"abcdefgh"}), packed}) {
      const std::string whole = tiff({page}, order);
      (void)read(whole);
      // The last four bytes say that no page follows, which libtiff believes without them.
      for (std::size_t n = 0; n < whole.size() - 4; ++n) {
        EXPECT_THAT(refusal(whole.substr(0, n)),
                    AllOf(StartsWith("in.tif: "), Not(HasSubstr("/proc/"))))
            << n;
      }
    }
  }
}

TEST_F(tiff_image, refuses_blocks_that_end_early) {
  for (const std::uint64_t compression : {5u, 8u, 32773u}) {
    const auto pack = compression == 5 ? lzw : compression == 8 ? zlib : packbits;
    auto page = tiff_page(4, 2, {pack("abcd")});
    page.fields[tiff_tag::compression] = {2, {compression}};
    EXPECT_THAT(refusal(tiff({page})), HasSubstr("truncated or damaged as a TIFF ("))
        << compression;
  }
}

TEST_F(tiff_image, ignores_tags_it_does_not_know_quietly) {
  auto page = tiff_page(1, 1, {"a"});
  page.fields[65000] = {2, {7}};
  EXPECT_THAT(samples_of(read(tiff({page}))), ElementsAre('a'));
}

TEST_F(tiff_image, refuses_what_it_does_not_read) {
  const auto changed = [](unsigned tag, std::uint64_t value) {
    auto page = tiff_page(1, 1, {"abcdefgh"});
    page.fields[tag] = {2, {value}};
    return refusal(tiff({page}));
  };
  for (const std::uint64_t compression : {2u, 3u, 4u, 6u, 7u, 9999u, 34925u, 50000u}) {
    EXPECT_THAT(changed(tiff_tag::compression, compression), StartsWith("in.tif: ")) << compression;
  }
  EXPECT_THAT(changed(tiff_tag::compression, 6), HasSubstr("compressed by TIFF's method 6"));
  EXPECT_THAT(changed(tiff_tag::compression, 65001), HasSubstr("65001 (EER)"));
  for (const std::uint64_t meaning : {4u, 5u, 8u, 32803u, 34892u}) {
    EXPECT_THAT(changed(tiff_tag::meaning, meaning), HasSubstr("has TIFF colours of kind"));
  }
  for (const std::uint64_t bits : {17u, 24u, 48u, 128u}) {
    EXPECT_THAT(changed(tiff_tag::bits, bits), StartsWith("in.tif: ")) << bits;
  }
  EXPECT_THAT(changed(tiff_tag::bits, 24), HasSubstr("format 1 with 24 bits"));
  EXPECT_THAT(changed(tiff_tag::format, 3), HasSubstr("format 3 with 8 bits"));
  EXPECT_THAT(changed(tiff_tag::channels, 5), HasSubstr("has 5 channels"));
}

TEST_F(tiff_image, refuses_a_list_of_pages_that_loops) {
  std::string file = tiff({tiff_page(1, 1, {"a"}), tiff_page(1, 1, {"b"})});
  file.replace(file.size() - 4, 4, file.substr(4, 4));  // the last page's next is the first
  EXPECT_THAT(refusal(file), StartsWith("in.tif: "));
}

TEST_F(tiff_image, refuses_bombs_before_memory_is_taken) {
  for (const std::uint64_t compression : {1u, 5u, 8u, 32773u}) {
    auto page = tiff_page(100000, 100000, {"abcdefgh"});
    page.fields[tiff_tag::compression] = {2, {compression}};
    EXPECT_THAT(refusal(tiff({page})), StartsWith("in.tif: ")) << compression;
    EXPECT_THAT(refusal(tiff({page}), SIZE_MAX / 2),
                AllOf(HasSubstr("claims 100000 x 100000 pixels"), HasSubstr("cannot hold")));
  }
  auto tile = tiled(1, 1, {"a"});
  tile.fields[tiff_tag::tile_width] = {4, {1 << 20}};
  tile.fields[tiff_tag::tile_height] = {4, {1 << 20}};
  EXPECT_THAT(refusal(tiff({tile}), SIZE_MAX / 2),
              HasSubstr("claims tiles of 1099511627776 bytes"));
  constexpr std::uint64_t most = 0xFFFFFFFF;
  EXPECT_THAT(refusal(tiff({tiff_page(most, most, {"a"})}), SIZE_MAX), StartsWith("in.tif: "));
  EXPECT_THAT(refusal(tiff({tiff_page(2, 1, {"ab"})}), 7), StartsWith("in.tif: "));
  EXPECT_THAT(refusal(tiff({tiff_page(256, 2, {std::string(512, 'a')})}), 2047),
              HasSubstr("claims 1 x 2 x 256 x 1 samples of 4 bytes in memory; at most 2047"));
}

std::string written(const image_stack& stack, const image_write_options& options,
                    std::uint64_t largest_classic_bytes = 0xFFFFFFFF) {
  const temporary_folder folder;
  atomic_file to(folder.path() / "out.tif");
  const auto pages = tiff_sink(to, stack, options, largest_classic_bytes);
  pages->add(stack.samples);
  pages->finish();
  to.commit();
  return folder.read("out.tif");
}

TEST_F(tiff_image, is_written_as_it_is_read) {
  for (const std::size_t n_channels : {1, 2, 3, 4}) {
    for (const std::size_t n_images : {1, 3}) {
      std::vector<float> samples(n_images * 6 * n_channels);
      for (std::size_t i = 0; i < samples.size(); ++i) samples[i] = 0.1f * static_cast<float>(i);
      image_stack stack = grey_image(2, 3, samples);
      stack.n_images = n_images;
      stack.n_channels = n_channels;
      stack.pixel_angstrom = {.z = 0, .y = 0.83, .x = 1.25e7};
      for (const std::uint64_t largest_classic_bytes : {0xFFFFFFFFu, 0u}) {
        const std::string file = written(stack, {}, largest_classic_bytes);
        EXPECT_EQ(file[2], largest_classic_bytes == 0 ? 43 : 42);
        const auto again = read(file);
        EXPECT_EQ(samples_of(again), samples_of(stack));
        EXPECT_EQ(again.n_images, n_images);
        EXPECT_EQ(again.n_channels, n_channels);
        EXPECT_NEAR(again.pixel_angstrom.y, 0.83, 1e-7);
        EXPECT_NEAR(again.pixel_angstrom.x, 1.25e7, 1);
      }
    }
  }
}

TEST_F(tiff_image, is_written_in_eight_and_sixteen_bits) {
  image_stack stack = grey_image(1, 2, {-1, 0, 1, 3});
  stack.n_images = 2;
  const image_write_options bytes{.type = number_type::uint8, .range = value_range{-1, 3}};
  EXPECT_THAT(samples_of(read(written(stack, bytes))), ElementsAre(0, 64, 128, 255));
  const auto wide = read(written(grey_image(1, 3, {-1, 0, 3}), {.type = number_type::uint16}));
  EXPECT_THAT(samples_of(wide), ElementsAre(0, 16384, 65535));
  EXPECT_EQ(wide.full_scale, 65535);
}

}  // namespace
