// SPDX-License-Identifier: Apache-2.0
// Label: opencl
// Timeout: 300
// Searches whose spectra and workspace are stored in 16 bits find planted templates as in fp32, on
// every engine that is here; random_searches compares what they keep.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "convolving/search_check.hpp"  // filled, noise_of
#include "support/on_engine.hpp"        // on_engine, all_engines, engine_name
#include "support/refusal.hpp"          // refusal
#include "wingbeat/wingbeat.hpp"

namespace {

using namespace wingbeat;
using namespace wingbeat::test;
using ::testing::HasSubstr;

class stored_search : public on_engine {};

TEST_P(stored_search, finds_planted_templates_as_fp32_does) {
  constexpr std::size_t height = 70, width = 90, n = 12, n_templates = 4;
  std::vector<float> image = noise_of<float>(height * width, 1);
  const std::vector<float> templates = noise_of<float>(n_templates * n * n, 2);
  for (float& value : image) value = 120 + 30 * value;
  for (std::size_t t = 0; t < n_templates; ++t) {
    for (std::size_t i = 0; i < n * n; ++i) {
      image[(3 + 17 * t + i / n) * width + 60 - 18 * t + i % n] += 60 * templates[t * n * n + i];
    }
  }
  const auto peaks_with = [&](std::optional<precision> between) {
    template_search search{*on,
                           {.image = {height, width},
                            .templates = {n, n},
                            .is_normalised = true,
                            .templates_at_once = leaves_out() ? 1U : 3U,
                            .between = between,
                            .image_peak = between == precision::fp16 ? 255.0 : 0.0}};
    const buffer in = filled(*on, image), batch = filled(*on, templates);
    search.begin(*on, in.view());
    search.add(*on, batch.view(), n_templates);
    return search.peaks(*on, 10, 0.6, 6);
  };
  const std::vector<peak> narrow = peaks_with(precision::fp16);
  ASSERT_EQ(narrow.size(), n_templates);
  for (const peak& each : narrow) {
    EXPECT_EQ(each.y, 3 + 17 * each.number);
    EXPECT_EQ(each.x, 60 - 18 * each.number);
  }
  if (leaves_out()) return;
  const std::vector<peak> wide = peaks_with(std::nullopt);
  ASSERT_EQ(wide.size(), n_templates);
  for (const peak& each : narrow) {
    const auto same = std::find_if(wide.begin(), wide.end(),
                                   [&](const peak& of) { return of.number == each.number; });
    ASSERT_NE(same, wide.end());
    EXPECT_EQ(same->y, each.y);
    EXPECT_EQ(same->x, each.x);
    EXPECT_NEAR(same->score, each.score, 0x1p-8);
    EXPECT_NE(same->score, each.score) << "stored as fp32";
  }
}

TEST(stored_search_images, have_spectra_of_half_the_bytes) {
  const queue on{first_device(engine::host)};
  image_convolution_spec spec{.height = 30, .width = 21, .kernel_height = 6, .kernel_width = 9};
  const std::size_t wide_bytes = image_convolution{on, spec}.spectra_bytes();
  spec.between = precision::bf16;
  EXPECT_EQ(2 * image_convolution(on, spec).spectra_bytes(), wide_bytes);
}

TEST(stored_search_request, is_refused_without_the_peaks_it_needs) {
  const queue on{first_device(engine::host)};
  search_spec spec{.image = {8, 8}, .templates = {3, 3}, .between = precision::fp16};
  const auto refused = [&] { return refusal([&] { template_search{on, spec}; }); };
  EXPECT_THAT(refused(), HasSubstr("image_peak is 0; state the largest magnitude"));
  spec.image_peak = 255;
  EXPECT_THAT(refused(), HasSubstr("template_peak is 0"));
  spec.is_normalised = true;
  EXPECT_THAT(refused(), HasSubstr("nothing was refused"));
  EXPECT_THAT(template_search(on, spec).explain(), HasSubstr("spectra and workspace in fp16"));
  spec.template_peak = 1;
  EXPECT_THAT(refused(), HasSubstr("template_peak is 1 and is_normalised is true, so that it is"));
  spec.between = {};
  EXPECT_THAT(refused(), HasSubstr("image_peak is 255 and between is fp32, so that it is not"));
  image_convolution_spec blur{.height = 8,
                              .width = 8,
                              .kernel_height = 3,
                              .kernel_width = 3,
                              .between = precision::fp16,
                              .image_peak = 1};
  EXPECT_THAT(refusal([&] { image_convolution{on, blur}; }), HasSubstr("kernel_peak is 0"));
  blur.between = precision::fp32;
  EXPECT_THAT(refusal([&] {
                image_convolution{on, blur};
              }),
              HasSubstr("image_peak is 1 and between is fp32"));
}

TEST(stored_search_scores, are_at_most_1_where_templates_are_parts_of_the_image) {
  queue on{first_device(engine::host)};
  constexpr std::size_t width = 60, height = 50, n = 8, n_templates = 20;
  const auto image = noise_of<float>(width * height, 7);
  std::vector<float> templates;
  for (std::size_t t = 0; t < n_templates; ++t) {
    for (std::size_t i = 0; i < n * n; ++i) {
      templates.push_back(image[(2 * t + i / n) * width + 2 * t + i % n]);
    }
  }
  template_search search{on,
                         {.image = {height, width},
                          .templates = {n, n},
                          .is_normalised = true,
                          .between = precision::fp16,
                          .image_peak = 1}};
  const buffer in = filled(on, image), batch = filled(on, templates);
  search.begin(on, in.view());
  search.add(on, batch.view(), n_templates);
  const std::vector<float> scores = search.scores(on);
  const std::vector<peak> peaks = search.peaks(on, n_templates, 0.99, 1);
  ASSERT_EQ(peaks.size(), n_templates);
  std::size_t n_cut_off = 0;
  for (const peak& each : peaks) {
    EXPECT_LE(each.score, 1);
    EXPECT_EQ(each.score, double{scores[each.y * (width - n + 1) + each.x]});
    n_cut_off += each.score == 1 ? 1 : 0;
  }
  EXPECT_GT(n_cut_off, 0u);
}

INSTANTIATE_TEST_SUITE_P(engines, stored_search, all_engines(), engine_name);

}  // namespace
