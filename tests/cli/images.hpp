// SPDX-License-Identifier: Apache-2.0
// Images for the commands that convolve: random ones, files of them, and the sums by definition.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>  // clamp, min
#include <cstdint>    // uint32_t
#include <optional>
#include <random>  // minstd_rand
#include <string>
#include <utility>  // move
#include <vector>

#include "cli/program.hpp"           // workplace
#include "formats/images/image.hpp"  // image_stack, write_images
#include "support/read_images.hpp"   // read_images

namespace wingbeat::test {

struct image_shape {
  std::size_t height = 1, width = 1, n_images = 1, n_channels = 1;
};

/// Returns images of whole numbers from 0 to 9, others for each seed.
inline formats::image_stack random_images(image_shape shape, std::uint32_t seed) {
  std::minstd_rand bits{seed};
  std::vector<float> samples(shape.height * shape.width * shape.n_images * shape.n_channels);
  for (float& sample : samples) sample = static_cast<float>(bits() / 64 % 10);
  return {.samples = std::move(samples),
          .n_images = shape.n_images,
          .height = shape.height,
          .width = shape.width,
          .n_channels = shape.n_channels,
          .is_stack = shape.n_images > 1};
}

/// Writes the images into the folder; returns the name.
inline std::string image_file(const workplace& place, const std::string& name,
                              const formats::image_stack& images,
                              const formats::image_write_options& options = {}) {
  static_cast<void>(formats::write_images(place.folder().path() / name, images, options));
  return name;
}

inline formats::image_stack images_in(const workplace& place, const std::string& name) {
  return read_images(place.folder().path() / name);
}

/// Returns the row that stands for one outside of n; none: zeros.
inline std::optional<std::ptrdiff_t> row_at(std::ptrdiff_t row, std::ptrdiff_t n,
                                            const std::string& border) {
  if (border == "clamp") return std::clamp<std::ptrdiff_t>(row, 0, n - 1);
  while (row < 0 || row >= n) {
    if (border == "zero") return std::nullopt;
    if (border == "repeat") row += row < 0 ? n : -n;
    if (border == "mirror") row = row < 0 ? -1 - row : 2 * n - 1 - row;
  }
  return row;
}

/// What is computed of an image and a kernel.
struct sum_request {
  std::string mode = "full", border = "zero";
  bool correlates = false;
};

struct sum_axis {
  std::ptrdiff_t first = 0;  ///< Of the full result.
  std::size_t count = 0;
};

inline sum_axis axis_of(std::size_t image, std::size_t kernel, const std::string& mode) {
  if (mode == "same") return {static_cast<std::ptrdiff_t>((kernel - 1) / 2), image};
  if (mode == "valid") return {static_cast<std::ptrdiff_t>(kernel - 1), image - kernel + 1};
  return {0, image + kernel - 1};
}

/// Returns the sums of one image and one kernel, with all channels convolved, also alpha.
inline formats::image_stack direct_sums(const formats::image_stack& image,
                                        const formats::image_stack& kernel,
                                        const sum_request& request) {
  const sum_axis rows = axis_of(image.height, kernel.height, request.mode);
  const sum_axis columns = axis_of(image.width, kernel.width, request.mode);
  const std::size_t channels = image.n_channels;
  const auto height = static_cast<std::ptrdiff_t>(image.height);
  const auto width = static_cast<std::ptrdiff_t>(image.width);
  std::vector<double> sums;
  for (std::size_t i = 0; i < rows.count * columns.count * channels; ++i) {
    const std::size_t c = i % channels, x = i / channels % columns.count;
    const std::size_t y = i / channels / columns.count;
    double sum = 0;
    for (std::size_t tap = 0; tap < kernel.height * kernel.width; ++tap) {
      const std::size_t position =
          request.correlates ? kernel.height * kernel.width - 1 - tap : tap;
      const auto row = row_at(rows.first + static_cast<std::ptrdiff_t>(y) -
                                  static_cast<std::ptrdiff_t>(tap / kernel.width),
                              height, request.border);
      const auto column = row_at(columns.first + static_cast<std::ptrdiff_t>(x) -
                                     static_cast<std::ptrdiff_t>(tap % kernel.width),
                                 width, request.border);
      if (!row || !column) continue;
      const std::size_t colour = std::min(c, kernel.n_channels - 1);
      const std::size_t tap_index = position * kernel.n_channels + colour;
      const auto place = static_cast<std::size_t>(*row * width + *column) * channels + c;
      sum +=
          formats::sample_at(kernel.samples, tap_index) * formats::sample_at(image.samples, place);
    }
    sums.push_back(sum);
  }
  return {.samples = std::move(sums),
          .height = rows.count,
          .width = columns.count,
          .n_channels = channels};
}

/// Expects image `number` of `actual` to be `expected`, of which it holds one image.
inline void expect_near(const formats::image_stack& actual, const formats::image_stack& expected,
                        double tolerance, std::size_t number = 0) {
  ASSERT_EQ(actual.height, expected.height);
  ASSERT_EQ(actual.width, expected.width);
  ASSERT_EQ(actual.n_channels, expected.n_channels);
  const std::size_t count = formats::size_of(expected.samples);
  ASSERT_LE((number + 1) * count, formats::size_of(actual.samples));
  for (std::size_t i = 0; i < count; ++i) {
    ASSERT_NEAR(formats::sample_at(actual.samples, number * count + i),
                formats::sample_at(expected.samples, i), tolerance)
        << "sample " << i;
  }
}

/// Expects a refusal in one sentence, with nothing printed and no file written.
inline void expect_refusal(const workplace& place, const std::vector<std::string>& arguments,
                           int code, const std::string& sentence) {
  const std::ptrdiff_t n_before = place.folder().n_files();
  const finished run = place.run(arguments);
  EXPECT_EQ(run.code, code) << run.err;
  EXPECT_TRUE(run.err.starts_with("wingbeat: ")) << run.err;
  EXPECT_NE(run.err.find(sentence), std::string::npos) << run.err;
  EXPECT_EQ(n_lines(run.err), 1U) << run.err;
  EXPECT_EQ(run.out, "");
  EXPECT_EQ(place.folder().n_files(), n_before) << run.err;
}

}  // namespace wingbeat::test
