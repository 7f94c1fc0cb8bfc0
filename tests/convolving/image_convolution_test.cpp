// SPDX-License-Identifier: Apache-2.0
// Label: opencl
// Timeout: 300
// Convolutions of images against their sums, on every engine that is here.
#include "wingbeat/image_convolution.hpp"

#include <gtest/gtest.h>

#include "convolving/image_convolution_check.hpp"  // image_runner
#include "support/on_engine.hpp"                   // on_engine, all_engines, engine_name
#include "tuning/compiled_engines.hpp"             // compiles_kernels

namespace {

using namespace wingbeat;
using namespace wingbeat::test;

constexpr border borders[] = {border::zero, border::mirror, border::repeat, border::clamp};

class image_convolution_on : public on_engine {
 protected:
  void check(const image_convolution_spec& spec) { image_runner{*on, spec}.check(); }
  pixels run(const image_convolution_spec& spec, const pixels& image, const pixels& kernel) {
    return image_runner{*on, spec}.run(image, kernel);
  }
  /// Compiling takes most of the time of engines that compile.
  [[nodiscard]] static bool is_compiled() { return compiles_kernels(GetParam()); }
};

TEST_P(image_convolution_on, agrees_with_the_sums_with_every_border) {
  for (const border outside :
       cases<border>({border::repeat}, {border::zero, border::mirror, border::clamp})) {
    check({.height = 13,
           .width = 10,
           .kernel_height = 5,
           .kernel_width = 4,
           .kernel_channels = 3,
           .outside = outside});
  }
}

TEST_P(image_convolution_on, agrees_with_the_sums_in_every_mode) {
  for (const extent mode : cases<extent>({extent::full, extent::valid}, {extent::same})) {
    check({.height = 9,
           .width = 12,
           .channels = 4,
           .kernel_height = 4,
           .kernel_width = 7,
           .mode = mode,
           .outside = border::mirror});
    if (leaves_out()) continue;
    check({.height = 9,
           .width = 12,
           .channels = 2,
           .kernel_height = 4,
           .kernel_width = 7,
           .mode = mode,
           .outside = border::zero});
  }
}

TEST_P(image_convolution_on, takes_images_of_every_number_of_channels) {
  for (const std::size_t channels : cases<std::size_t>({3, 4}, {1, 2})) {
    for (const precision stored : {precision::fp32, precision::fp16}) {
      if (is_compiled() && (channels % 2 == 0) != (stored == precision::fp32)) continue;
      check({.height = 8,
             .width = 11,
             .channels = channels,
             .kernel_height = 3,
             .kernel_width = 5,
             .kernel_channels = channels == 4 ? std::size_t{3} : 1,
             .stored = stored});
    }
  }
}

TEST_P(image_convolution_on, continues_images_over_several_periods) {
  for (const border outside : borders) {
    if (leaves_out() && outside != border::mirror) continue;
    check({.height = 3,
           .width = 2,
           .kernel_height = 17,
           .kernel_width = 12,
           .outside = outside,
           .stored = precision::fp16});
    if (leaves_out()) continue;
    check({.height = 1,
           .width = 1,
           .channels = 1,
           .kernel_height = 4,
           .kernel_width = 5,
           .outside = outside});
  }
}

TEST_P(image_convolution_on, takes_every_small_size) {
  if (is_compiled()) GTEST_SKIP() << "each size is a program of its own";
  for (std::size_t height = 1; height <= 5; ++height) {
    for (std::size_t width = 1; width <= 6; ++width) {
      for (std::size_t taps = 1; taps <= 5; ++taps) {
        for (const border outside : borders) {
          check({.height = height,
                 .width = width,
                 .channels = 1 + (height + width) % 4,
                 .kernel_height = 6 - taps,
                 .kernel_width = taps,
                 .mode = taps % 2 != 0 ? extent::same : extent::full,
                 .outside = outside});
        }
      }
    }
  }
}

// Each of the tests below fails with one defect of another implementation of bloom. Kernels are
// made of the same texts as above.

/// The sheet's example: 40 x 24 ones under a box of 16 x 16, with zeros around.
TEST_P(image_convolution_on, pads_every_row_and_column_as_its_border_says) {
  image_convolution_spec spec{
      .height = 24, .width = 40, .channels = 1, .kernel_height = 16, .kernel_width = 16};
  const pixels ones(spec.height * spec.width, 1), box(256, 1.0F / 256);
  const pixels faded = run(spec, ones, box);
  const auto taps = [](std::size_t n, std::size_t size) {  // 7 to the right, 8 to the left
    const std::size_t end = std::min(n + 7, size - 1), begin = n < 8 ? 0 : n - 8;
    return static_cast<float>(end - begin + 1) / 16;
  };
  for (std::size_t y = 0; y < spec.height; ++y) {
    for (std::size_t x = 0; x < spec.width; ++x) {
      const float expected = taps(y, spec.height) * taps(x, spec.width);
      ASSERT_NEAR(faded[y * spec.width + x], expected, 1e-6) << y << ", " << x;
    }
  }
  spec.outside = border::mirror;
  for (const float value : run(spec, ones, box)) ASSERT_NEAR(value, 1, 1e-6);
}

/// Columns of alternating signs meet the one bin of Nyquist, which two equal taps make zero.
TEST_P(image_convolution_on, multiplies_every_bin) {
  const image_convolution_spec spec{.height = 15,
                                    .width = 63,
                                    .channels = 1,
                                    .kernel_height = 2,
                                    .kernel_width = 2,
                                    .mode = extent::valid};
  ASSERT_EQ((image_convolution{*on, spec}.padded()), (std::vector<std::size_t>{16, 64}));
  pixels stripes(spec.height * spec.width), checks(stripes);
  for (std::size_t i = 0; i < stripes.size(); ++i) {
    const std::size_t y = i / spec.width, x = i % spec.width;
    stripes[i] = x % 2 == 0 ? 1.0F : -1.0F;
    checks[i] = (x + y) % 2 == 0 ? 1.0F : -1.0F;
  }
  for (const float value : run(spec, stripes, {1, 1, 1, 1})) ASSERT_NEAR(value, 0, 1e-5);
  for (const float value : run(spec, checks, {1, 1, 1, 1})) ASSERT_NEAR(value, 0, 1e-5);
  const pixels steep = run(spec, stripes, {1, -1, 1, -1});
  for (std::size_t i = 0; i < steep.size(); ++i) {
    ASSERT_NEAR(steep[i], i % 62 % 2 == 0 ? -4 : 4, 1e-5) << i;
  }
}

/// Paddings of every remainder modulo 4, on either axis.
TEST_P(image_convolution_on, leaves_an_image_in_place_under_its_centre) {
  if (leaves_out()) GTEST_SKIP() << "in make test-full";
  const std::size_t last = is_compiled() ? 42 : 45;
  for (std::size_t width = 41; width <= last; ++width) {
    for (std::size_t taps = 22; taps <= (is_compiled() ? 22 : 25); ++taps) {
      const image_convolution_spec spec{.height = width - 30,
                                        .width = width,
                                        .channels = 1,
                                        .kernel_height = taps - 18,
                                        .kernel_width = taps,
                                        .outside = border::mirror};
      pixels image(spec.height * spec.width), kernel(spec.kernel_height * spec.kernel_width);
      fill_noise(image.data(), image.size(), 3);
      kernel[(spec.kernel_height - 1) / 2 * taps + (taps - 1) / 2] = 1;
      const pixels result = run(spec, image, kernel);
      for (std::size_t i = 0; i < image.size(); ++i) {
        ASSERT_NEAR(result[i], image[i], 2e-6) << text_of(spec) << ", pixel " << i;
      }
    }
  }
}

/// A single tap far from the centre of a kernel that is much smaller than the padded image.
TEST_P(image_convolution_on, keeps_the_weight_of_the_outermost_taps) {
  if (leaves_out()) GTEST_SKIP() << "in make test-full";
  const image_convolution_spec spec{.height = 60,
                                    .width = 120,
                                    .channels = 1,
                                    .kernel_height = 8,
                                    .kernel_width = 8,
                                    .outside = border::repeat};
  pixels image(spec.height * spec.width), kernel(64);
  fill_noise(image.data(), image.size(), 4);
  kernel[63] = 1;  // 4 behind the centre at 3
  const pixels result = run(spec, image, kernel);
  for (std::size_t y = 0; y < spec.height; ++y) {
    for (std::size_t x = 0; x < spec.width; ++x) {
      const std::size_t from =
          (y + spec.height - 4) % spec.height * spec.width + (x + spec.width - 4) % spec.width;
      ASSERT_NEAR(result[y * spec.width + x], image[from], 2e-6) << y << ", " << x;
    }
  }
}

TEST_P(image_convolution_on, divides_kernels_by_sums_and_luminance) {
  for (const normalisation rule :
       {normalisation::by_luminance, normalisation::by_sum, normalisation::none}) {
    check({.height = 7,
           .width = 6,
           .kernel_height = 3,
           .kernel_width = 4,
           .kernel_channels = 3,
           .outside = border::clamp,
           .normalise = rule});
    if (leaves_out()) return;
    check({.height = 7, .width = 6, .kernel_height = 3, .kernel_width = 4, .normalise = rule});
  }
}

TEST_P(image_convolution_on, keeps_the_luminance_of_white_and_the_tint_of_a_kernel) {
  if (leaves_out()) GTEST_SKIP() << "in make test-full";
  const image_convolution_spec spec{.height = 6,
                                    .width = 5,
                                    .kernel_height = 3,
                                    .kernel_width = 3,
                                    .kernel_channels = 3,
                                    .outside = border::clamp,
                                    .normalise = normalisation::by_luminance};
  pixels kernel;
  for (int i = 0; i < 9; ++i) kernel.insert(kernel.end(), {3.0F, 2.0F, 1.0F});
  const pixels result = run(spec, pixels(6 * 5 * 3, 1.0F), kernel);
  for (std::size_t i = 0; i < result.size(); i += 3) {
    EXPECT_NEAR(0.212639 * result[i] + 0.715169 * result[i + 1] + 0.072192 * result[i + 2], 1,
                2e-6);
    EXPECT_NEAR(result[i] / result[i + 2], 3, 1e-5);
    EXPECT_NEAR(result[i + 1] / result[i + 2], 2, 1e-5);
  }
}

/// Results in fp16 of an image whose spectrum has bins far beyond 65504.
TEST_P(image_convolution_on, keeps_bright_images_in_fp16_finite) {
  const image_convolution_spec spec{.height = 64,
                                    .width = 128,
                                    .channels = 4,
                                    .kernel_height = 31,
                                    .kernel_width = 31,
                                    .outside = border::mirror,
                                    .normalise = normalisation::by_sum,
                                    .stored = precision::fp16};
  pixels image(spec.height * spec.width * 4, 1000), kernel(31 * 31, 7);
  for (std::size_t i = 3; i < image.size(); i += 4) image[i] = static_cast<float>(i % 2048) / 2048;
  const pixels result = run(spec, image, kernel);
  for (std::size_t i = 0; i < result.size(); ++i) {
    if (i % 4 == 3) {
      ASSERT_EQ(result[i], static_cast<float>(half_float(image[i]))) << i;
    } else {
      ASSERT_NEAR(result[i], 1000, 0.5) << i;
    }
  }
}

/// Alpha is copied, not computed with: it may be anything.
TEST_P(image_convolution_on, leaves_alpha_as_it_is) {
  for (const precision stored : cases<precision>({precision::fp16}, {precision::fp32})) {
    const image_convolution_spec spec{.height = 5,
                                      .width = 6,
                                      .channels = 4,
                                      .kernel_height = 3,
                                      .kernel_width = 3,
                                      .stored = stored};
    pixels image(5 * 6 * 4, 1);
    for (std::size_t i = 3; i < image.size(); i += 4) image[i] = -0.0F;
    image[3] = std::numeric_limits<float>::quiet_NaN();
    image[7] = std::numeric_limits<float>::infinity();
    const pixels result = run(spec, image, pixels(9, 1));
    for (std::size_t i = 0; i < result.size(); ++i) {
      if (i == 3) {
        ASSERT_TRUE(std::isnan(result[i]));
      } else if (i % 4 == 3) {
        ASSERT_EQ(result[i], image[i]);
        ASSERT_EQ(std::signbit(result[i]), std::signbit(image[i]));
      } else {
        ASSERT_TRUE(result[i] >= 3.9F && result[i] <= 9.1F) << i << ": " << result[i];
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(engines, image_convolution_on, all_engines(), engine_name);

}  // namespace
