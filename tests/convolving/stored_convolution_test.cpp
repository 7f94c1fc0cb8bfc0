// SPDX-License-Identifier: Apache-2.0
// Label: opencl
// Timeout: 300
// Convolutions whose spectra and workspace are stored in 16 bits: accuracy, range and bytes, on
// every engine that is here.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "convolving/convolution_check.hpp"  // check_convolution, noise_range
#include "support/on_engine.hpp"             // on_engine, all_engines, engine_name
#include "support/refusal.hpp"               // refusal
#include "wingbeat/wingbeat.hpp"

namespace {

using namespace wingbeat;
using namespace wingbeat::test;
using ::testing::HasSubstr;

/// A pixel range from 0 on, and the peak that a request states for it.
constexpr noise_range words{32767.5, 32767.5}, words_of_high_mean{5535, 60000};

class stored_convolution : public on_engine {};

TEST_P(stored_convolution, keeps_its_bound_for_images_of_any_range) {
  convolution_spec spec{.image = {50, 41},
                        .kernel = {13, 9},
                        .kind = operation::correlate,
                        .mode = extent::valid,
                        .between = precision::fp16,
                        .kernel_peak = 1};
  for (const noise_range& images :
       cases<noise_range>({words_of_high_mean}, {{127.5, 127.5}, words, {1e-3, 0}})) {
    spec.image_peak = images.scale + images.offset;
    check_convolution(*on, spec, images);
  }
  spec.between = precision::bf16;
  spec.image_peak = spec.kernel_peak = 0;
  if (!leaves_out()) check_convolution(*on, spec, words);
}

TEST_P(stored_convolution, halves_spectra_and_workspace) {
  if (leaves_out()) GTEST_SKIP() << "planned as on cuda, whose planner's test counts bytes";
  convolution_spec spec{.image = {256, 256}, .kernel = {64, 64}, .mode = extent::same};
  const convolution wide{*on, spec};
  spec.between = precision::fp16;
  spec.image_peak = spec.kernel_peak = 1;
  const convolution narrow{*on, spec};
  EXPECT_EQ(2 * narrow.spectra_bytes(), wide.spectra_bytes());
  EXPECT_THAT(narrow.explain(), HasSubstr("spectra and workspace in fp16"));
  // Beside what lies between launches: kernels in, results out.
  const std::size_t ends = wide.kernel_bytes() + wide.output_bytes();
  if (GetParam() != engine::reference) {  // which has a product apart, read as an operand
    EXPECT_EQ(2 * (narrow.traffic_bytes() - ends), wide.traffic_bytes() - ends);
  }
  if (GetParam() != engine::host) {  // whose workspace also has one tile for each thread
    EXPECT_LE(2 * narrow.workspace_bytes(), wide.workspace_bytes() + 512);
  }
}

TEST_P(stored_convolution, halves_spectra_of_one_launch) {
  convolution_spec spec{.image = {200}, .kernel = {57}, .mode = extent::same};
  const convolution wide{*on, spec};
  spec.between = precision::bf16;
  EXPECT_EQ(2 * convolution(*on, spec).spectra_bytes(), wide.spectra_bytes());
}

TEST(stored_convolution_request, is_refused_where_it_cannot_work) {
  const queue on{first_device(engine::reference)};
  const auto refused = [&](convolution_spec spec) {
    spec.image = {8};
    spec.kernel = {3};
    return refusal([&] { convolution{on, spec}; });
  };
  EXPECT_THAT(refused({.real = precision::fp64, .between = precision::fp16}),
              HasSubstr("between is fp16 and real is fp64"));
  EXPECT_THAT(refused({.between = precision::fp64}), HasSubstr("between is fp64 and real is fp32"));
  EXPECT_THAT(refused({.between = precision{7}}), HasSubstr("between is 7"));
  EXPECT_THAT(refused({.between = precision::fp16, .kernel_peak = 1}),
              HasSubstr("image_peak is 0; state the largest"));
  EXPECT_THAT(refused({.between = precision::fp16, .image_peak = 1, .kernel_peak = -3}),
              HasSubstr("kernel_peak is -3"));
  EXPECT_THAT(refused({.image_peak = 1}),
              HasSubstr("image_peak is 1 and between is fp32, so that it is not used; leave it 0"));
  EXPECT_THAT(refused({.between = precision::bf16, .kernel_peak = 2}),
              HasSubstr("kernel_peak is 2 and between is bf16"));
}

INSTANTIATE_TEST_SUITE_P(engines, stored_convolution, all_engines(), engine_name);

}  // namespace
