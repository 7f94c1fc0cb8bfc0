// SPDX-License-Identifier: Apache-2.0
// Label: opencl
// Timeout: 300
// Convolutions of images against their sums, on every engine that is here.
#include "wingbeat/image_convolution.hpp"

#include <gtest/gtest.h>

#include <cstdint>  // uint64_t
#include <utility>  // pair

#include "convolving/image_convolution_check.hpp"  // image_runner
#include "support/dice.hpp"                        // dice
#include "support/on_engine.hpp"                   // on_engine, all_engines, engine_name
#include "tuning/compiled_engines.hpp"             // compiles_kernels

namespace {

using namespace wingbeat;
using namespace wingbeat::test;

/// Returns a request that every engine must accept. The same seed gives the same one everywhere.
image_convolution_spec random_image(std::uint64_t seed) {
  constexpr extent modes[] = {extent::full, extent::same, extent::valid};
  constexpr border borders[] = {border::zero, border::mirror, border::repeat, border::clamp,
                                border::reflect};
  constexpr normalisation rules[] = {normalisation::none, normalisation::by_sum,
                                     normalisation::by_luminance};
  dice roll{seed};
  image_convolution_spec spec;
  spec.mode = roll.one_of(modes);
  spec.outside = roll.one_of(borders);
  spec.normalise = roll.one_of(rules);
  for (auto [image, kernel] :
       {std::pair{&spec.height, &spec.kernel_height}, std::pair{&spec.width, &spec.kernel_width}}) {
    *image = roll.between(1, roll.one_in(2) ? 6 : 24);
    *kernel = roll.between(1, spec.mode == extent::valid ? *image : 12);  // several periods
  }
  spec.channels = roll.between(1, 4);
  spec.kernel_channels = spec.channels > 2 && roll.one_in(2) ? 3 : 1;
  spec.stored = roll.one_in(3) ? precision::fp16 : precision::fp32;
  if (roll.one_in(5)) spec.between = precision::bf16;
  if (roll.one_in(5)) spec.between = precision::fp16;
  if (spec.between == precision::fp16) spec.image_peak = 1, spec.kernel_peak = 1.1;
  if (spec.between == precision::fp32 && roll.one_in(4)) spec.stored = precision::fp64;
  return spec;
}

class image_convolution_on : public on_engine {
 protected:
  pixels run(const image_convolution_spec& spec, const pixels& image, const pixels& kernel) {
    return image_runner{*on, spec}.run(image, kernel);
  }
};

TEST_P(image_convolution_on, agrees_with_the_sums) {
  const std::uint64_t count = leaves_out() ? 6 : compiles_kernels(GetParam()) ? 60 : 600;
  for (std::uint64_t seed = 1; seed <= count && !HasFailure(); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    image_runner{*on, random_image(seed)}.check();
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
