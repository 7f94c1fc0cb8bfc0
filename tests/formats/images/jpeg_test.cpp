// SPDX-License-Identifier: Apache-2.0
// JPEG files are written by ourselves and turned by EXIF that is spelled out; those of other
// programs are read in image_packages.py.
#include "formats/images/format.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/images/bytes.hpp"      // grey_image, message_of, number, samples_of
#include "formats/temporary_folder.hpp"  // temporary_folder

namespace {

using namespace wingbeat::formats;
using namespace wingbeat::test;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class jpeg_image : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!has_image_libraries()) GTEST_SKIP() << "this build has no libjpeg";
  }
};

image_stack read(const std::string& content, std::size_t limit_bytes = 1 << 22) {
  return read_by(open_jpeg, content, "in.jpg", limit_bytes);
}

std::string refusal(const std::string& content, std::size_t limit_bytes = 1 << 22) {
  return message_of([&] { (void)read(content, limit_bytes); });
}

std::string written(const image_stack& stack) {
  const temporary_folder folder;
  atomic_file to(folder.path() / "out.jpg");
  const auto sink = jpeg_sink(to, stack, {.range = value_range{0, 255}});
  sink->add(stack.samples);
  to.commit();
  return folder.read("out.jpg");
}

/// An image of 16 x 24 pixels whose corners are 0, 80, 160 and 240, row by row.
image_stack quarters(std::size_t n_channels = 1) {
  std::vector<float> samples;
  for (std::size_t i = 0; i < 16 * 24 * n_channels; ++i) {
    const std::size_t y = i / n_channels / 24, x = i / n_channels % 24;
    samples.push_back(static_cast<float>(160 * (y / 8) + 80 * (x >= 16 ? 1 : 0)));
  }
  image_stack stack = grey_image(16, 24, samples);
  stack.n_channels = n_channels;
  return stack;
}

/// Returns the corners, row by row, rounded to multiples of 80.
std::vector<int> corners(const image_stack& image) {
  std::vector<int> result;
  for (const std::size_t y : {std::size_t{0}, image.height - 1}) {
    for (const std::size_t x : {std::size_t{0}, image.width - 1}) {
      const double value = sample_at(image.samples, (y * image.width + x) * image.n_channels);
      result.push_back(static_cast<int>(value + 40) / 80 * 80);
    }
  }
  return result;
}

/// Returns the file with EXIF of that orientation behind its first marker.
std::string turned(const std::string& file, int orientation, std::endian order) {
  const std::string tiff =
      (order == std::endian::big ? "MM" : "II") + number(42, 2, order) + number(8, 4, order) +
      number(1, 2, order) + number(274, 2, order) + number(3, 2, order) + number(1, 4, order) +
      number(static_cast<std::uint64_t>(orientation), 2, order) + std::string(6, '\0');
  const std::string exif = std::string("Exif\0\0", 6) + tiff;
  return file.substr(0, 2) + "\xFF\xE1" + number(exif.size() + 2, 2, std::endian::big) + exif +
         file.substr(2);
}

TEST_F(jpeg_image, is_read_as_it_was_written) {
  for (const std::size_t n_channels : {1, 3}) {
    const auto image = read(written(quarters(n_channels)));
    EXPECT_EQ(image.n_channels, n_channels);
    EXPECT_EQ(image.height, 16u);
    EXPECT_EQ(image.width, 24u);
    EXPECT_EQ(image.full_scale, 255);
    EXPECT_EQ(corners(image), (std::vector{0, 80, 160, 240}));
  }
}

TEST_F(jpeg_image, is_turned_and_mirrored_as_its_orientation_says) {
  const std::string file = written(quarters());
  const std::vector<int> expected[] = {{0, 80, 160, 240}, {80, 0, 240, 160}, {240, 160, 80, 0},
                                       {160, 240, 0, 80}, {0, 160, 80, 240}, {160, 0, 240, 80},
                                       {240, 80, 160, 0}, {80, 240, 0, 160}};
  for (const auto order : {std::endian::little, std::endian::big}) {
    for (int orientation = 1; orientation <= 8; ++orientation) {
      const auto image = read(turned(file, orientation, order));
      EXPECT_EQ(image.width, orientation < 5 ? 24u : 16u) << orientation;
      EXPECT_EQ(corners(image), expected[orientation - 1]) << orientation;
    }
    EXPECT_EQ(corners(read(turned(file, 9, order))), expected[0]) << "no orientation";
  }
}

TEST_F(jpeg_image, refuses_every_truncation) {
  const std::string whole = written(quarters(3));
  for (std::size_t n = 0; n < whole.size(); ++n) {
    EXPECT_THAT(refusal(whole.substr(0, n)), StartsWith("in.jpg: is damaged or not read as a JPEG"))
        << n;
  }
}

TEST_F(jpeg_image, refuses_more_than_the_limit) {
  EXPECT_THAT(refusal(written(quarters()), 16 * 24 * sizeof(float) - 1),
              HasSubstr("claims 16 x 24 x 1 samples"));
}

}  // namespace
