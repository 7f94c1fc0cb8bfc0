// SPDX-License-Identifier: Apache-2.0
// Loads and stores of interleaved pixels: each finds its channel of the pixel that border_test.cpp
// expects.
#include <gtest/gtest.h>

#include <vector>

#include "device/functors/named.hpp"  // names_numbers, names_operands
#include "wingbeat/device/functors/pixel_load.hpp"
#include "wingbeat/device/functors/pixel_store.hpp"

namespace {

using namespace wingbeat::device;
using functors::border;
using functors::continued_axis;
using functors::pixel_load;
using functors::pixel_numbers;
using functors::pixel_store;

constexpr size height = 4, width = 5;

/// An image of so many channels, continued by 2 pixels in front and 3 behind in both axes.
pixel_numbers continued(border outside, size channels) {
  return {width, channels, {outside, height, -2, height + 5}, {outside, width, -2, width + 5}};
}

unsigned short half_of(float x) {
  return half_float(x).bits;
}

/// Every number of an image is another.
std::vector<unsigned short> image_of(size channels) {
  std::vector<unsigned short> image(height * width * channels);
  for (size i = 0; i < image.size(); ++i) image[i] = half_of(static_cast<float>(i) + 1);
  return image;
}

TEST(functors_pixels, are_loaded_by_channels_of_the_continued_image) {
  for (const size channels : {1, 3, 4}) {
    const pixel_numbers n = continued(border::mirror, channels);
    const std::vector<unsigned short> image = image_of(channels);
    for (size channel = 0; channel < channels; ++channel) {
      const pixel_load<unsigned short, unsigned> load{n, image.data(), {}, channel};
      for (size i = 0; i < n.rows.length * n.columns.length; ++i) {
        const size y = pixel_of(n.rows, i / n.columns.length);
        const size x = pixel_of(n.columns, i % n.columns.length);
        EXPECT_EQ(load.load(i), static_cast<float>((y * width + x) * channels + channel + 1));
        const size length = load.line_length(n);
        EXPECT_EQ(load.load_line(i / length, i % length), load.load(i));
      }
    }
  }
}

TEST(functors_pixels, are_stored_by_channels_without_alpha) {
  const pixel_numbers n = continued(border::repeat, 3);
  std::vector<float> out(n.rows.length * n.columns.length * 3, -1);
  for (size channel = 0; channel < 3; ++channel) {
    const pixel_store<float, size> store{n, out.data(), {nullptr}, channel};
    for (size i = 0; i < out.size() / 3; ++i) store.store(i, static_cast<float>(3 * i + channel));
  }
  for (size i = 0; i < out.size(); ++i) EXPECT_EQ(out[i], static_cast<float>(i));
}

/// Stores the colours of results, and checks all channels.
void expect_alpha(border outside) {
  constexpr size channels = 4;
  const pixel_numbers n = continued(outside, channels);
  const std::vector<unsigned short> image = image_of(channels);
  std::vector<unsigned short> out(n.rows.length * n.columns.length * channels);
  for (size channel = 0; channel + 1 < channels; ++channel) {
    const pixel_store<unsigned short, unsigned> store{n, out.data(), {image.data()}, channel};
    for (size i = 0; i < out.size() / channels; ++i) store.store(i, -1.0F);
  }
  for (size i = 0; i < out.size() / channels; ++i) {
    const size y = pixel_of(n.rows, i / n.columns.length);
    const size x = pixel_of(n.columns, i % n.columns.length);
    const bool has_pixel = y < height && x < width;
    const size alpha = (y * width + x) * channels + channels - 1;
    for (size channel = 0; channel + 1 < channels; ++channel) {
      EXPECT_EQ(out[i * channels + channel], half_of(-1));
    }
    EXPECT_EQ(out[i * channels + channels - 1], has_pixel ? image[alpha] : 0);
  }
}

TEST(functors_pixels, take_alpha_of_the_continued_image) {
  for (const border outside : {border::zero, border::mirror, border::repeat, border::clamp}) {
    expect_alpha(outside);
  }
}

TEST(functors_pixels, name_their_members) {
  EXPECT_TRUE((ends::has_members<pixel_numbers, 4>));
  EXPECT_TRUE((ends::has_members<continued_axis, 4>));
  EXPECT_TRUE(wingbeat::test::names_numbers(pixel_numbers{}, 2 + 2 * 4));
  EXPECT_TRUE((
      wingbeat::test::names_operands<pixel_store<float, unsigned>, 1>(continued(border::zero, 2))));
}

}  // namespace
