// SPDX-License-Identifier: Apache-2.0
// MRC files are spelled out byte by byte, as MRC2014 lays them out.
#include "formats/images/format.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>  // isnan
#include <cstdint>
#include <limits>

#include "formats/files/byte_order.hpp"  // load
#include "formats/images/bytes.hpp"      // as_bytes, float_bytes, message_of, number, samples_of
#include "formats/temporary_folder.hpp"  // temporary_folder

namespace {

using namespace wingbeat::formats;
using namespace wingbeat::test;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// A header's fields; `stamp` none leaves the machine stamp and the mark empty, as old files do.
struct mrc_fields {
  std::uint32_t columns = 2, rows = 1, sections = 1, mode = 2, extended = 0;
  std::endian order = std::endian::little;
  bool has_stamp = true;
  float cell[3] = {0, 0, 0};
  std::uint32_t axes[3] = {1, 2, 3};
};

std::string header(const mrc_fields& fields) {
  std::string text(1024, '\0');
  const auto put = [&](std::size_t offset, const std::string& bytes) {
    text.replace(offset, bytes.size(), bytes);
  };
  const std::uint32_t lengths[3] = {fields.columns, fields.rows, fields.sections};
  for (std::size_t i = 0; i < 3; ++i) {
    put(4 * i, number(lengths[i], 4, fields.order));
    put(28 + 4 * i, number(i == 2 ? 1 : lengths[i], 4, fields.order));
    put(40 + 4 * i, float_bytes(fields.cell[i], fields.order));
    put(64 + 4 * i, number(fields.axes[i], 4, fields.order));
  }
  put(12, number(fields.mode, 4, fields.order));
  put(92, number(fields.extended, 4, fields.order));
  if (fields.has_stamp) {
    put(208, "MAP ");
    put(212, fields.order == std::endian::little ? "\x44\x44" : "\x11\x11");
  }
  return text;
}

image_stack read(const std::string& content, std::size_t limit_bytes = 1 << 20) {
  EXPECT_TRUE(is_mrc(byte_source{as_bytes(content), "in.mrc"}));
  return read_by(open_mrc, content, "in.mrc", limit_bytes);
}

std::string refusal(const std::string& content, std::size_t limit_bytes = 1 << 20) {
  return message_of([&] { (void)read_by(open_mrc, content, "in.mrc", limit_bytes); });
}

TEST(mrc, reads_every_mode_in_both_byte_orders) {
  for (const auto order : {std::endian::little, std::endian::big}) {
    for (const bool has_stamp : {true, false}) {
      const auto samples = [&](std::uint32_t mode, std::uint64_t a, std::uint64_t b, int n_bytes) {
        return samples_of(read(header({.mode = mode, .order = order, .has_stamp = has_stamp}) +
                               number(a, n_bytes, order) + number(b, n_bytes, order)));
      };
      EXPECT_THAT(samples(0, 0x80, 0x7F, 1), ElementsAre(-128, 127));
      EXPECT_THAT(samples(1, 0x8000, 0x7FFF, 2), ElementsAre(-32768, 32767));
      EXPECT_THAT(samples(2, 0x3F800000, 0xC0000000, 4), ElementsAre(1, -2));
      EXPECT_THAT(samples(6, 0, 0xFFFF, 2), ElementsAre(0, 65535));
      EXPECT_THAT(samples(12, 0x3C00, 0x0001, 2), ElementsAre(1, 0x1p-24));
    }
  }
}

TEST(mrc, reads_two_numbers_of_four_bits_in_a_byte) {
  const auto stack = read(header({.columns = 3, .rows = 2, .sections = 2, .mode = 101}) +
                          std::string("\x21\xF3\x54\x06\x87\x09\xBA\x0C", 8));
  EXPECT_THAT(samples_of(stack), ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12));
  EXPECT_EQ(stack.full_scale, 15);
}

TEST(mrc, reads_complex_samples_as_two_channels) {
  for (const auto order : {std::endian::little, std::endian::big}) {
    const auto whole = read(header({.columns = 1, .mode = 3, .order = order}) +
                            number(7, 2, order) + number(0xFFFE, 2, order));
    EXPECT_TRUE(whole.is_complex);
    EXPECT_EQ(whole.n_channels, 2u);
    EXPECT_THAT(samples_of(whole), ElementsAre(7, -2));
    const auto floats = read(header({.columns = 1, .mode = 4, .order = order}) +
                             float_bytes(1.5F, order) + float_bytes(-2, order));
    EXPECT_THAT(samples_of(floats), ElementsAre(1.5, -2));
  }
}

TEST(mrc, reads_sections_rows_and_columns_in_the_order_of_the_file) {
  const auto stack = read(header({.columns = 3, .rows = 2, .sections = 2, .mode = 0}) +
                          std::string("\0\1\2\3\4\5\6\7\10\11\12\13", 12));
  EXPECT_EQ(stack.n_images, 2u);
  EXPECT_EQ(stack.height, 2u);
  EXPECT_EQ(stack.width, 3u);
  EXPECT_EQ(stack.n_channels, 1u);
  EXPECT_THAT(samples_of(stack), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11));
}

TEST(mrc, skips_the_extended_header_and_what_follows_the_samples) {
  const auto stack =
      read(header({.mode = 0, .extended = 5}) + "extra" + std::string("\1\2") + "behind");
  EXPECT_THAT(samples_of(stack), ElementsAre(1, 2));
}

TEST(mrc, tells_the_pixel_size_along_the_axes_of_the_file) {
  mrc_fields fields{.columns = 2, .rows = 4, .mode = 0, .cell = {3, 10, 7}};
  const std::string data(8, '\0');
  const auto size = read(header(fields) + data).pixel_angstrom;
  EXPECT_EQ(size.x, 1.5);
  EXPECT_EQ(size.y, 2.5);
  EXPECT_EQ(size.z, 7);
  fields.axes[0] = 2;  // columns lie along the cell's y
  fields.axes[1] = 1;
  EXPECT_EQ(read(header(fields) + data).pixel_angstrom.x, 2.5);
  fields.axes[1] = 2;
  EXPECT_EQ(read(header(fields) + data).pixel_angstrom.x, 0);
  fields.axes[0] = 9;
  EXPECT_EQ(read(header(fields) + data).pixel_angstrom.x, 0);
}

void put(std::string& file, std::size_t offset, const std::string& bytes) {
  file.replace(offset, bytes.size(), bytes);
}

TEST(mrc, knows_unsigned_bytes_by_the_flags_of_imod_or_by_the_range) {
  const auto samples = [](std::uint32_t flags, float least, float largest, std::endian order) {
    std::string file = header({.mode = 0, .order = order}) + "\x64\xC8";
    put(file, 76, float_bytes(least, order) + float_bytes(largest, order));
    if (flags != 0xFF) put(file, 152, number(1146047817, 4, order) + number(flags, 4, order));
    return samples_of(read(file));
  };
  for (const auto order : {std::endian::little, std::endian::big}) {
    EXPECT_THAT(samples(0, 0, -1, order), ElementsAre(100, 200));
    EXPECT_THAT(samples(1, 0, 255, order), ElementsAre(100, -56));
    EXPECT_THAT(samples(4, -56, 100, order), ElementsAre(100, 200));
    EXPECT_THAT(samples(0xFF, 100, 200, order), ElementsAre(100, 200));
    EXPECT_THAT(samples(0xFF, -56, 100, order), ElementsAre(100, -56));
    EXPECT_THAT(samples(0xFF, 0, 127, order), ElementsAre(100, -56));
  }
  std::string halves = header({.mode = 0}) + "ab";
  put(halves, 152, number(1146047817, 4) + number(16, 4));
  EXPECT_THAT(refusal(halves), HasSubstr("two numbers of 4 bits in each byte of mode 0"));
}

TEST(mrc, passes_nan_and_infinities) {
  const auto nan = std::numeric_limits<float>::quiet_NaN();
  const auto infinity = std::numeric_limits<float>::infinity();
  const auto samples = samples_of(read(header({}) + float_bytes(nan) + float_bytes(-infinity)));
  EXPECT_TRUE(std::isnan(samples[0]));
  EXPECT_EQ(samples[1], -std::numeric_limits<double>::infinity());
}

TEST(mrc, refuses_every_truncation) {
  const std::string whole = header({.extended = 4}) + "more" + float_bytes(1) + float_bytes(2);
  (void)read(whole);
  for (std::size_t n = 0; n < whole.size(); ++n) {
    EXPECT_THAT(refusal(whole.substr(0, n)), HasSubstr("is truncated")) << n;
  }
  EXPECT_THAT(refusal(whole.substr(0, 1030)),
              HasSubstr("claims 1 x 1 x 2 samples in images of 8 bytes but 2 bytes follow"));
}

TEST(mrc, refuses_what_it_does_not_read) {
  for (const std::uint32_t mode : {5u, 7u, 100u, 0xFFFFFFFFu}) {
    EXPECT_THAT(refusal(header({.mode = mode}) + "12345678"), HasSubstr("are read, so convert it"));
  }
  EXPECT_THAT(refusal(header({.rows = 0})), HasSubstr("claims 1 x 0 x 2 samples"));
  EXPECT_THAT(refusal(header({.sections = 0x80000000})), HasSubstr("must be at least 1"));
  EXPECT_THAT(refusal(header({.extended = 0x80000000})), HasSubstr("extended MRC header of -"));
  EXPECT_THAT(refusal(header({.mode = 0xFFFF, .has_stamp = false})),
              HasSubstr("makes sense in neither byte order"));
}

TEST(mrc, refuses_more_than_the_limit_without_overflow) {
  constexpr std::uint32_t most = 0x7FFFFFFF;
  EXPECT_THAT(refusal(header({.columns = most, .rows = most, .sections = most})),
              HasSubstr("at most 1048576 bytes are allowed"));
  EXPECT_THAT(refusal(header({.columns = most, .rows = most, .sections = most}), SIZE_MAX),
              HasSubstr("bytes but 0 bytes follow"));
  const std::string two = header({.mode = 0}) + "ab";
  EXPECT_EQ(samples_of(read(two, 8)).size(), 2u);
  EXPECT_THAT(refusal(two, 7), HasSubstr("claims 1 x 1 x 2 x 1 samples of 4 bytes in memory"));
}

TEST(mrc, is_not_any_file) {
  const auto is_one = [](const std::string& content) {
    return is_mrc(byte_source{as_bytes(content), "in.mrc"});
  };
  EXPECT_FALSE(is_one(""));
  EXPECT_FALSE(is_one(std::string(2048, '\0')));
  EXPECT_FALSE(is_one(std::string(2048, ' ')));
  EXPECT_FALSE(is_one(header({.columns = 1 << 20, .has_stamp = false})));
}

std::string written(const image_stack& stack, number_type type = number_type::float32) {
  const temporary_folder folder;
  atomic_file to(folder.path() / "out.mrc");
  const auto sections = mrc_sink(to, stack, {.type = type});
  sections->add(stack.samples);
  sections->finish();
  to.commit();
  return folder.read("out.mrc");
}

TEST(mrc, writes_what_it_reads) {
  image_stack stack = grey_image(1, 3, {1, 2, 3, -4, 0.1f, 6});
  stack.n_images = 2;
  stack.pixel_angstrom = {.z = 2, .y = 1.25, .x = 1.5};
  const auto again = read(written(stack));
  EXPECT_EQ(samples_of(again), samples_of(stack));
  EXPECT_EQ(again.n_images, 2u);
  EXPECT_EQ(again.pixel_angstrom.x, 1.5);
  EXPECT_EQ(again.pixel_angstrom.y, 1.25);
  EXPECT_EQ(again.pixel_angstrom.z, 2);
  const auto halves = read(written(stack, number_type::float16));
  EXPECT_THAT(samples_of(halves), ElementsAre(1, 2, 3, -4, 0x1.998p-4, 6));
}

/// A volume of 2 x 2 x 2 samples, columns along y, 2 angstrom apart, and rows along x, 1 apart.
std::string placed_volume(std::endian order) {
  std::string file = header({.columns = 2,
                             .rows = 2,
                             .sections = 2,
                             .order = order,
                             .cell = {2, 4, 6},
                             .axes = {2, 1, 3}});
  const auto triple = [&](std::size_t offset, float a, float b, float c) {
    put(file, offset, float_bytes(a, order) + float_bytes(b, order) + float_bytes(c, order));
  };
  put(file, 16, number(3, 4, order) + number(0xFFFFFFFE, 4, order) + number(5, 4, order));
  put(file, 36, number(2, 4, order));
  triple(52, 90, 100, 90);
  put(file, 88, number(1, 4, order));
  triple(196, 15, 20, 30);
  for (int i = 0; i < 8; ++i) file += float_bytes(1, order);
  return file;
}

TEST(mrc, writes_the_places_of_the_file_that_images_come_from) {
  const std::string little = placed_volume(std::endian::little);
  for (const auto order : {std::endian::little, std::endian::big}) {
    const std::string again = written(read(placed_volume(order)));
    for (const auto& [from, to] : {std::pair{16, 76}, {88, 92}, {152, 160}, {196, 208}}) {
      const auto length = static_cast<std::size_t>(to - from);
      EXPECT_EQ(again.substr(static_cast<std::size_t>(from), length),
                little.substr(static_cast<std::size_t>(from), length))
          << from;
    }
  }
}

TEST(mrc, moves_the_places_of_images_that_are_cut_or_grow) {
  image_stack wider = read(placed_volume(std::endian::little));
  wider.samples = std::vector<float>(16, 1.0f);
  wider.width = 4;
  wider.placement->first = {-1, 0, 0};
  const auto floats = [](const std::string& file, std::size_t offset) {
    const std::byte* const bytes = as_bytes(file).data() + offset;
    return std::vector{load<float>(bytes), load<float>(bytes + 4), load<float>(bytes + 8)};
  };
  const std::string file = written(wider);
  EXPECT_EQ(load<std::int32_t>(as_bytes(file).data() + 16), 2);
  EXPECT_EQ(load<std::int32_t>(as_bytes(file).data() + 32), 4);  // intervals along y
  EXPECT_THAT(floats(file, 40), ElementsAre(2, 8, 6));
  EXPECT_THAT(floats(file, 196), ElementsAre(15, 18, 30));
  // IMOD's own origin has the other sign.
  wider.placement->words[16] = 1146047817;
  EXPECT_THAT(floats(written(wider), 196), ElementsAre(15, 22, 30));
  // An origin of 0 beside starts says nothing.
  wider.placement->words[18] = wider.placement->words[19] = wider.placement->words[20] = 0;
  EXPECT_THAT(floats(written(wider), 196), ElementsAre(0, 0, 0));
  // One section of it is no volume.
  wider.n_images = 1;
  wider.samples = std::vector<float>(8, 1.0f);
  EXPECT_EQ(load<std::int32_t>(as_bytes(written(wider)).data() + 88), 0);
}

TEST(mrc, writes_the_statistics_of_what_it_stores) {
  const auto statistic = [](const std::string& file, std::size_t offset) {
    return load<float>(as_bytes(file).data() + offset);
  };
  const std::string file = written(grey_image(2, 2, {1, 3, 5, 7}));
  EXPECT_EQ(statistic(file, 76), 1);
  EXPECT_EQ(statistic(file, 80), 7);
  EXPECT_EQ(statistic(file, 84), 4);
  EXPECT_EQ(statistic(file, 216), std::sqrt(5.0f));
  const std::string halves = written(grey_image(1, 1, {0.1f}), number_type::float16);
  EXPECT_EQ(statistic(halves, 84), 0x1.998p-4f);
  // MRC2014's sign of statistics that are not known: the largest is below the least.
  const std::string unknown = written(grey_image(1, 2, {NAN, 1}));
  EXPECT_LT(statistic(unknown, 80), statistic(unknown, 76));
  EXPECT_LT(statistic(unknown, 216), 0);
}

TEST(mrc, refuses_to_write_what_it_cannot_hold) {
  EXPECT_THAT(message_of([] { (void)written(grey_image(1, 1, {65520}), number_type::float16); }),
              HasSubstr("cannot hold the sample 65520"));
  EXPECT_EQ(samples_of(read(written(grey_image(1, 1, {65519}), number_type::float16)))[0], 65504);
}

}  // namespace
