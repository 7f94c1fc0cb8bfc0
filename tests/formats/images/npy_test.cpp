// SPDX-License-Identifier: Apache-2.0
// Arrays as images, spelled out as NumPy writes them.
#include "formats/images/format.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>  // isnan
#include <cstdint>
#include <limits>

#include "formats/files/npy_header.hpp"  // npy_prefix
#include "formats/images/bytes.hpp"      // float_bytes, message_of, number, samples_of
#include "formats/temporary_folder.hpp"  // temporary_folder

namespace {

using namespace wingbeat::formats;
using namespace wingbeat::test;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

image_stack read(const std::string& content, std::size_t limit_bytes = 1 << 20) {
  return read_by(open_npy_images, content, "in.npy", limit_bytes);
}

std::string refusal(const std::string& content, std::size_t limit_bytes = 1 << 20) {
  return message_of([&] { (void)read(content, limit_bytes); });
}

TEST(npy_images, reads_every_real_type_in_both_byte_orders) {
  struct example {
    const char* kind;
    std::uint64_t bits;
    double value;
    bool is_float;
  };
  for (const auto& [kind, bits, value, is_float] :
       {example{"u1", 255, 255, true}, example{"i1", 255, -1, true}, example{"b1", 1, 1, true},
        example{"u2", 65535, 65535, true}, example{"i2", 65535, -1, true},
        example{"u4", 0xFFFFFFFF, 4294967295.0, false},
        example{"i4", 0xFEFFFFFF, -16777217.0, false},
        example{"u8", 0x20000000000000, 0x1p53, false},
        example{"i8", 0xFFFFFFFFFFFFFFFF, -1, false}, example{"f2", 0xC000, -2, true},
        example{"f4", 0x3F800000, 1, true}, example{"f8", 0x3FB999999999999A, 0.1, false}}) {
    const int n_bytes = kind[1] - '0';
    for (const auto order : {std::endian::little, std::endian::big}) {
      const std::string descr = std::string(order == std::endian::little ? "<" : ">") + kind;
      const auto stack = read(npy_prefix(descr, {1, 1}) + number(bits, n_bytes, order));
      EXPECT_THAT(samples_of(stack), ElementsAre(value)) << descr;
      EXPECT_EQ(std::holds_alternative<std::vector<float>>(stack.samples), is_float) << descr;
    }
  }
  EXPECT_THAT(samples_of(read(npy_prefix("|u1", {1, 2}) + "ab")), ElementsAre('a', 'b'));
}

TEST(npy_images, reads_two_to_four_dimensions) {
  const std::string data("\0\1\2\3\4\5\6\7\10\11\12\13", 12);
  const auto image = read(npy_prefix("|u1", {3, 4}) + data);
  EXPECT_EQ(image.height, 3u);
  EXPECT_EQ(image.width, 4u);
  EXPECT_EQ(image.n_images, 1u);
  EXPECT_FALSE(image.is_stack);
  const auto stack = read(npy_prefix("|u1", {2, 3, 2}) + data);
  EXPECT_EQ(stack.n_images, 2u);
  EXPECT_EQ(stack.height, 3u);
  EXPECT_EQ(stack.width, 2u);
  EXPECT_TRUE(stack.is_stack);
  const auto colours = read(npy_prefix("|u1", {2, 1, 2, 3}) + data);
  EXPECT_EQ(colours.n_images, 2u);
  EXPECT_EQ(colours.height, 1u);
  EXPECT_EQ(colours.width, 2u);
  EXPECT_EQ(colours.n_channels, 3u);
  EXPECT_EQ(samples_of(colours), samples_of(image));
}

TEST(npy_images, reads_fortran_order) {
  std::string content =
      npy_prefix("|u1", {2, 3, 2}) + std::string("\0\1\2\3\4\5\6\7\10\11\12\13", 12);
  content.replace(content.find("False"), 5, " True");
  // Element (i, y, x) lies at i + 2 y + 6 x.
  EXPECT_THAT(samples_of(read(content)), ElementsAre(0, 6, 2, 8, 4, 10, 1, 7, 3, 9, 5, 11));
}

TEST(npy_images, passes_nan_and_infinities) {
  const auto infinity = std::numeric_limits<float>::infinity();
  const auto samples =
      samples_of(read(npy_prefix("<f4", {1, 2}) + float_bytes(NAN) + float_bytes(infinity)));
  EXPECT_TRUE(std::isnan(samples[0]));
  EXPECT_EQ(samples[1], std::numeric_limits<double>::infinity());
}

TEST(npy_images, refuses_every_truncation_and_more_than_it_claims) {
  const std::string whole = npy_prefix("<u2", {2, 2}) + "12345678";
  for (std::size_t n = 0; n < whole.size(); ++n) {
    EXPECT_FALSE(refusal(whole.substr(0, n)).empty()) << n;
  }
  EXPECT_THAT(refusal(whole + "9"), HasSubstr("has 1 bytes after its 1 x 4 samples"));
}

TEST(npy_images, has_complex_numbers_as_two_channels) {
  const auto image = read(npy_prefix("<c8", {1, 1}) + float_bytes(1.5F) + float_bytes(-2));
  EXPECT_TRUE(image.is_complex);
  EXPECT_FALSE(image.is_stack);
  EXPECT_THAT(samples_of(image), ElementsAre(1.5, -2));
}

TEST(npy_images, refuses_other_types_and_shapes) {
  for (const char* descr : {"|O", "<U4", "<f16", "|f4", "|i2", "=f4", "f4", ""}) {
    EXPECT_THAT(refusal(npy_prefix(descr, {1, 1}) + "1234"), HasSubstr("convert it with astype"))
        << descr;
  }
  EXPECT_THAT(refusal(npy_prefix("<c8", {1, 1, 1, 1}) + "12345678"), HasSubstr("complex, so"));
  EXPECT_THAT(refusal(npy_prefix("|u1", {4}) + "1234"), HasSubstr("has 1 dimension(s)"));
  EXPECT_THAT(refusal(npy_prefix("|u1", {1, 1, 1, 1, 1}) + "1"), HasSubstr("has 5 dimension(s)"));
  EXPECT_THAT(refusal(npy_prefix("|u1", {1, 1, 1, 5}) + "12345"), HasSubstr("has 5 channels"));
  EXPECT_THAT(refusal(npy_prefix("|u1", {2, 0})), HasSubstr("has no samples (1 x 2 x 0 x 1)"));
}

TEST(npy_images, refuses_more_than_the_limit_without_overflow) {
  EXPECT_THAT(refusal(npy_prefix("<f8", {1ull << 40, 1ull << 40}), SIZE_MAX),
              HasSubstr("bytes are allowed"));
  EXPECT_THAT(refusal(npy_prefix("|u1", {1, 3}) + "123", 11),
              HasSubstr("claims 1 x 1 x 3 x 1 samples of 4 bytes in memory; at most 11"));
  EXPECT_THAT(refusal(npy_prefix("<f8", {1, 1}) + "12345678", 7),
              HasSubstr("of 8 bytes in memory"));
}

TEST(npy_images, writes_the_shapes_that_it_reads) {
  struct example {
    std::vector<std::size_t> shape;
    std::size_t n_samples;
  };
  for (const auto& [shape, n_samples] : {example{{2, 3}, 6}, example{{1, 2, 3}, 6},
                                         example{{2, 1, 3}, 6}, example{{1, 2, 3, 2}, 12}}) {
    std::string original = npy_prefix("<f4", shape);
    for (std::size_t i = 0; i < n_samples; ++i)
      original += float_bytes(0.1f + static_cast<float>(i));
    const temporary_folder folder;
    atomic_file to(folder.path() / "out.npy");
    const image_stack image = read(original);
    npy_sink(to, image, {})->add(image.samples);
    to.commit();
    EXPECT_EQ(folder.read("out.npy"), original);
  }
}

TEST(npy_images, writes_doubles_where_asked_to) {
  const image_stack image{.samples = std::vector<double>{0.1, 1e200}, .height = 1, .width = 2};
  const temporary_folder folder;
  atomic_file to(folder.path() / "out.npy");
  npy_sink(to, image, {.type = number_type::float64})->add(image.samples);
  to.commit();
  const std::string file = folder.read("out.npy");
  EXPECT_THAT(file, HasSubstr("'<f8'"));
  EXPECT_EQ(samples_of(read(file)), (std::vector<double>{0.1, 1e200}));
}

}  // namespace
