// SPDX-License-Identifier: Apache-2.0
// FITS files are spelled out, as the standard lays them out.
#include "formats/images/format.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>    // isnan
#include <utility>  // pair

#include "formats/images/bytes.hpp"      // float_bytes, grey_image, message_of, number, samples_of
#include "formats/temporary_folder.hpp"  // temporary_folder
#include "support/read_images.hpp"       // read_images

namespace {

using namespace wingbeat::formats;
using namespace wingbeat::test;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr auto big = std::endian::big;

class fits_image : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!has_cfitsio()) GTEST_SKIP() << "this build has no cfitsio";
  }
};

std::string padded(std::string text, char filler) {
  text.resize((text.size() + 2879) / 2880 * 2880, filler);
  return text;
}

/// A file of those cards behind SIMPLE and those data.
std::string fits(const std::vector<std::string>& cards, const std::string& data) {
  std::string header;
  for (std::string card : cards) {
    card.resize(80, ' ');
    header += card;
  }
  return padded("SIMPLE  =                    T" + std::string(50, ' ') + header + "END", ' ') +
         padded(data, '\0');
}

image_stack read(const std::string& content, std::size_t limit_bytes = 1 << 20) {
  return read_by(open_fits, content, "in.fits", limit_bytes);
}

std::string refusal(const std::string& content, std::size_t limit_bytes = 1 << 20) {
  return message_of([&] { (void)read(content, limit_bytes); });
}

TEST_F(fits_image, has_the_scaled_numbers_of_every_type) {
  const auto samples = [](int bits, const std::vector<std::string>& more, const std::string& data) {
    std::vector<std::string> cards{"BITPIX  = " + std::to_string(bits), "NAXIS   = 2",
                                   "NAXIS1  = 2", "NAXIS2  = 1"};
    cards.insert(cards.end(), more.begin(), more.end());
    return samples_of(read(fits(cards, data)));
  };
  EXPECT_THAT(samples(8, {}, "\x01\xFF"), ElementsAre(1, 255));
  EXPECT_THAT(samples(16, {}, number(1, 2, big) + number(0xFFFF, 2, big)), ElementsAre(1, -1));
  EXPECT_THAT(samples(16, {"BZERO   = 32768"}, number(0x8000, 2, big) + number(0x7FFF, 2, big)),
              ElementsAre(0, 65535));
  EXPECT_THAT(samples(16, {"BSCALE  = 0.5", "BZERO   = 3"}, number(4, 2, big) + number(0, 2, big)),
              ElementsAre(5, 3));
  EXPECT_THAT(samples(32, {}, number(0x7FFFFFFF, 4, big) + number(1, 4, big)),
              ElementsAre(2147483647, 1));
  EXPECT_THAT(samples(-64, {}, number(0x3FB999999999999A, 8, big) + number(0, 8, big)),
              ElementsAre(0.1, 0));
  const auto blank = samples(16, {"BLANK   = -7"}, number(0xFFF9, 2, big) + number(2, 2, big));
  EXPECT_TRUE(std::isnan(blank[0]));
  EXPECT_EQ(blank[1], 2);
  const auto floats = samples(-32, {}, float_bytes(NAN, big) + float_bytes(INFINITY, big));
  EXPECT_TRUE(std::isnan(floats[0]));
  EXPECT_EQ(floats[1], INFINITY);
}

TEST_F(fits_image, has_pixels_of_every_unit_of_length) {
  const std::pair<const char*, double> units[] = {{"Angstrom", 1}, {"nm", 10},  {"um", 1e4},
                                                  {"mm", 1e7},     {"m", 1e10}, {"deg", 0}};
  for (const auto& [unit, angstrom] : units) {
    const auto image = read(fits({"BITPIX  = 8", "NAXIS   = 2", "NAXIS1  = 2", "NAXIS2  = 1",
                                  "CDELT1  = -2.5", std::string{"CUNIT1  = '"} + unit + "'"},
                                 "ab"));
    EXPECT_DOUBLE_EQ(image.pixel_angstrom.x, 2.5 * angstrom) << unit;
    EXPECT_EQ(image.pixel_angstrom.y, 0) << unit;
  }
}

TEST_F(fits_image, has_a_cube_as_a_stack_and_skips_what_is_no_image) {
  const std::string data("\1\2\3\4\5\6", 6);
  const auto stack = read(fits(
      {"BITPIX  = 8", "NAXIS   = 4", "NAXIS1  = 1", "NAXIS2  = 2", "NAXIS3  = 3", "NAXIS4  = 1"},
      data));
  EXPECT_EQ(stack.n_images, 3u);
  EXPECT_EQ(stack.height, 2u);
  EXPECT_THAT(samples_of(stack), ElementsAre(1, 2, 3, 4, 5, 6));
  std::string extension = "XTENSION= 'IMAGE   '" + std::string(60, ' ');
  for (std::string card : {"BITPIX  = 8", "NAXIS   = 2", "NAXIS1  = 2", "NAXIS2  = 1",
                           "PCOUNT  = 0", "GCOUNT  = 1", "END"}) {
    card.resize(80, ' ');
    extension += card;
  }
  const std::string head = fits({"BITPIX  = 8", "NAXIS   = 0", "EXTEND  = T"}, "");
  EXPECT_THAT(samples_of(read(head + padded(extension, ' ') + padded("ab", '\0'))),
              ElementsAre('a', 'b'));
  EXPECT_THAT(refusal(head), HasSubstr("without an image of two axes"));
}

TEST_F(fits_image, refuses_what_is_cut_or_exceeds_the_limit) {
  const std::string whole =
      fits({"BITPIX  = 8", "NAXIS   = 2", "NAXIS1  = 100", "NAXIS2  = 60"}, std::string(6000, 'a'));
  EXPECT_EQ(samples_of(read(whole)).size(), 6000u);
  for (std::size_t n = 0; n < 2880 + 5000; n += 100) {
    EXPECT_THAT(refusal(whole.substr(0, n)), StartsWith("in.fits: ")) << n;
  }
  EXPECT_THAT(refusal(whole, 23999), HasSubstr("claims 1 x 60 x 100 samples of 4 bytes"));
  const auto claim = [](const std::string& length) {
    return fits({"BITPIX  = 8", "NAXIS   = 3", "NAXIS1  = " + length, "NAXIS2  = " + length,
                 "NAXIS3  = " + length},
                "");
  };
  EXPECT_THAT(refusal(claim("2000000")), StartsWith("in.fits: "));
  EXPECT_THAT(refusal(claim("100000000000")), StartsWith("in.fits: "));
  EXPECT_THAT(refusal(claim("0")), StartsWith("in.fits: "));
}

TEST_F(fits_image, is_written_as_it_is_read) {
  const temporary_folder folder;
  const auto again = [&](const image_stack& stack, const image_write_options& options) {
    write_images(folder.path() / "out.fits", stack, options);
    EXPECT_EQ(folder.read("out.fits").size() % 2880, 0u);
    return read_images(folder.path() / "out.fits");
  };
  image_stack stack = grey_image(1, 3, {1, 2, 3, -4, 0.1f, NAN});
  stack.n_images = 2;
  stack.pixel_angstrom = {.z = 0, .y = 0.83, .x = 2};
  const auto floats = again(stack, {});
  EXPECT_EQ(floats.n_images, 2u);
  EXPECT_TRUE(std::isnan(samples_of(floats)[5]));
  EXPECT_EQ(samples_of(floats)[4], double{0.1f});
  EXPECT_DOUBLE_EQ(floats.pixel_angstrom.y, 0.83);
  EXPECT_DOUBLE_EQ(floats.pixel_angstrom.x, 2);
  image_stack precise = grey_image(1, 2, {});
  precise.samples = std::vector<double>{0.1, 1e300};
  EXPECT_THAT(samples_of(again(precise, {.type = number_type::float64})), ElementsAre(0.1, 1e300));
  EXPECT_THAT(samples_of(again(grey_image(1, 2, {-1, 70000}), {.type = number_type::int32})),
              ElementsAre(-1, 70000));
}

TEST_F(fits_image, keeps_units_and_coordinates_and_moves_the_pixel_of_reference) {
  image_stack image = read(fits(
      {"BITPIX  = 8", "NAXIS   = 2", "NAXIS1  = 2", "NAXIS2  = 1", "BUNIT   = 'Jy/beam '",
       "CTYPE1  = 'RA---SIN'", "CRPIX1  =  +10.5 / of reference", "CRPIX2  = 4", "BZERO   = 1"},
      "ab"));
  image.placement->first = {-3, 0, 0};
  const temporary_folder folder;
  write_images(folder.path() / "out.fits", image);
  const std::string file = folder.read("out.fits");
  EXPECT_THAT(file, HasSubstr("BUNIT   = 'Jy/beam '"));
  EXPECT_THAT(file, HasSubstr("CTYPE1  = 'RA---SIN'"));
  EXPECT_THAT(file, HasSubstr("CRPIX1  =                 13.5"));
  EXPECT_THAT(file, HasSubstr("CRPIX2  = 4"));
  EXPECT_THAT(file, Not(HasSubstr("BZERO")));
}

}  // namespace
