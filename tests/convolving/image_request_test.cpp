// SPDX-License-Identifier: Apache-2.0
// What convolutions of images refuse, and the sentences that say so.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "support/refusal.hpp"  // refusal
#include "wingbeat/wingbeat.hpp"

namespace {

using namespace wingbeat;
using namespace wingbeat::test;

constexpr image_convolution_spec rgb{
    .height = 8, .width = 9, .kernel_height = 3, .kernel_width = 4};

class image_request : public ::testing::Test {
 protected:
  std::string refused(const std::function<void(image_convolution_spec&)>& spoil) {
    image_convolution_spec spec = rgb;
    spoil(spec);
    return refusal([&] { image_convolution{on, spec}; });
  }

  queue on{first_device(engine::host)};
};

TEST_F(image_request, refuses_channels_that_are_no_image) {
  EXPECT_EQ(refused([](auto& spec) { spec.channels = 0; }),
            "channels is 0; give 1 for grey, 2 for grey and alpha, 3 for RGB or 4 for RGBA");
  EXPECT_EQ(refused([](auto& spec) { spec.channels = 5; }),
            "channels is 5; give 1 for grey, 2 for grey and alpha, 3 for RGB or 4 for RGBA");
  EXPECT_EQ(
      refused([](auto& spec) { spec.kernel_channels = 4; }),
      "kernel_channels is 4 and the image's colours are 3; give the kernel 1 channel for all of "
      "them, or one for each");
  EXPECT_EQ(
      refused([](auto& spec) {
        spec.channels = 2;
        spec.kernel_channels = 3;
      }),
      "kernel_channels is 3 and the image's colours are 1; give the kernel 1 channel for all of "
      "them, or one for each");
}

TEST_F(image_request, refuses_sizes) {
  EXPECT_EQ(refused([](auto& spec) { spec.height = 0; }),
            "height is 0 and kernel_height is 3; give at least 1 for each");
  EXPECT_EQ(refused([](auto& spec) { spec.kernel_width = 0; }),
            "width is 9 and kernel_width is 0; give at least 1 for each");
  EXPECT_EQ(refused([](auto& spec) { spec.width = max_length; }),
            "width is 268435456 and kernel_width is 4; the image and two kernels together have at "
            "most 268435456, so cut the image into tiles");
  EXPECT_EQ(refused([](auto& spec) { spec.height = std::numeric_limits<std::size_t>::max(); }),
            "height is 18446744073709551615 and kernel_height is 3; the image and two kernels "
            "together have at most 268435456, so cut the image into tiles");
  EXPECT_EQ(refused([](auto& spec) {
              spec.mode = extent::valid;
              spec.kernel_height = 9;
            }),
            "kernel_height is 9 and height is 8, so the kernel lies within the image nowhere; "
            "choose mode same or full");
}

TEST_F(image_request, refuses_choices_that_are_none) {
  EXPECT_EQ(
      refused([](auto& spec) { spec.outside = static_cast<border>(7); }),
      "outside is 7, which is none of its values; choose zero, mirror, repeat, clamp or reflect");
  EXPECT_EQ(refused([](auto& spec) { spec.mode = static_cast<extent>(7); }),
            "mode is 7, which is none of its values; choose full, same or valid");
  EXPECT_EQ(refused([](auto& spec) { spec.normalise = static_cast<normalisation>(7); }),
            "normalise is 7, which is none of its values; choose none, by_sum or by_luminance");
  EXPECT_EQ(refused([](auto& spec) { spec.stored = precision::bf16; }),
            "stored is 3, which is none of its values; choose fp32, fp16 or fp64");
  EXPECT_EQ(refused([](auto& spec) {
              spec.stored = precision::fp64;
              spec.between = precision::bf16;
            }),
            "between is bf16 and stored is fp64, which mixes with no other precision; leave one of "
            "them out");
}

/// Returns what `prepare` says to a kernel of 3 colours.
std::string kernel_refused(queue& on, normalisation rule, const std::vector<float>& pixel,
                           const std::vector<float>& other) {
  image_convolution_spec spec = rgb;
  spec.kernel_height = 1;
  spec.kernel_width = 2;
  spec.kernel_channels = 3;
  spec.normalise = rule;
  const image_convolution blur{on, spec};
  std::vector<float> taps = pixel;
  taps.insert(taps.end(), other.begin(), other.end());
  buffer kernel{on, blur.kernel_bytes()}, spectra{on, blur.spectra_bytes()};
  kernel.write(taps.data(), kernel.size_bytes());
  return refusal([&] { blur.prepare(on, kernel.view(), spectra.view()); });
}

TEST_F(image_request, refuses_kernels_that_cannot_be_normalised) {
  constexpr float infinite = std::numeric_limits<float>::infinity();
  EXPECT_EQ(kernel_refused(on, normalisation::by_sum, {1, 1, 1}, {1, -1, 1}),
            "the kernel's sum of channel 1 is 0 and it cannot be divided by that; use "
            "normalisation::none, or another kernel");
  EXPECT_EQ(kernel_refused(on, normalisation::by_luminance, {0, 0, 0}, {0, 0, 0}),
            "the kernel's luminance is 0 and it cannot be divided by that; use "
            "normalisation::none, or another kernel");
  EXPECT_EQ(kernel_refused(on, normalisation::by_luminance, {0, infinite, 0}, {0, 0, 0}),
            "the kernel's luminance is inf and it cannot be divided by that; use "
            "normalisation::none, or another kernel");
  EXPECT_EQ(kernel_refused(on, normalisation::by_sum, {0.1F, 0.7F, 0.2F}, {1, 1, -0.2F}),
            "the kernel's sum of channel 2 is 0 and it cannot be divided by that; use "
            "normalisation::none, or another kernel");
  EXPECT_EQ(kernel_refused(on, normalisation::by_luminance, {0, 2, 0}, {0, 0, 0}), nothing_refused);
  EXPECT_EQ(kernel_refused(on, normalisation::none, {1, 1, 1}, {1, -1, 1}), nothing_refused);
}

TEST_F(image_request, refuses_views) {
  for (const normalisation rule : {normalisation::none, normalisation::by_sum}) {
    image_convolution_spec spec = rgb;
    spec.channels = 4;
    spec.normalise = rule;
    const image_convolution blur{on, spec};
    buffer memory{on, 65536};
    memory.write(std::vector<float>(16384, 1).data(), memory.size_bytes());
    const auto view = [&](std::size_t offset, std::size_t size) {
      buffer_view part = memory.view();
      part.offset_bytes = offset;
      part.size_bytes = size;
      return part;
    };
    const buffer_view kernel = view(0, 48), spectra = view(1024, 32768);
    const buffer_view image = view(40960, 1152), out = view(49152, 1152);
    EXPECT_EQ(refusal([&] { blur.prepare(on, view(0, 44), spectra); }),
              "the kernel holds 44 bytes; this image convolution needs 48");
    EXPECT_EQ(refusal([&] { blur.prepare(on, kernel, view(1024, 8)); }),
              "the array of spectra holds 8 bytes; this image convolution needs " +
                  std::to_string(blur.spectra_bytes()));
    EXPECT_EQ(refusal([&] { blur.enqueue(on, spectra, view(40960, 1148), out); }),
              "the image holds 1148 bytes; this image convolution needs 1152");
    EXPECT_THAT(refusal([&] { blur.enqueue(on, spectra, image, view(40960 + 16, 1152)); }),
                ::testing::HasSubstr("overlap"));
    EXPECT_THAT(refusal([&] { blur.enqueue(on, spectra, view(40961, 1152), out); }),
                ::testing::HasSubstr("starts"));
    EXPECT_THAT(refusal([&] {
                  blur.prepare(on, {nullptr, 0, 48}, spectra);
                }),
                ::testing::HasSubstr("memory"));
    queue other{first_device(engine::reference)};
    EXPECT_THAT(refusal([&] { blur.prepare(other, kernel, spectra); }),
                ::testing::HasSubstr("was made for host:0"));
  }
}

TEST_F(image_request, answers_after_a_move) {
  image_convolution blur{on, rgb};
  const image_convolution moved = std::move(blur);
  EXPECT_EQ(moved.spec().height, 8U);
  EXPECT_EQ(refusal([&] { (void)blur.spec(); }),
            "this image convolution was moved from; use the image convolution that it was moved "
            "to");
}

TEST_F(image_request, explains_itself_in_words) {
  image_convolution_spec spec = rgb;
  spec.outside = border::mirror;
  spec.stored = precision::fp16;
  const image_convolution blur{on, spec};
  EXPECT_THAT(blur.explain(), ::testing::StartsWith(
                                  "8x9 pixels of 3 fp16 channels, border mirror, kernel 3x4 of 1 "
                                  "normalised by none\n10x12 x 3x4 padded to 16x16, valid of 8x9"));
  // Zeros need no pixels of their own: the padded lengths stay those of the image.
  spec.outside = border::zero;
  EXPECT_EQ((image_convolution{on, spec}.padded()), (std::vector<std::size_t>{16, 16}));
  spec = {.height = 14, .width = 14, .kernel_height = 5, .kernel_width = 5};
  EXPECT_EQ((image_convolution{on, spec}.padded()), (std::vector<std::size_t>{16, 16}));
  spec.outside = border::mirror;
  EXPECT_EQ((image_convolution{on, spec}.padded()), (std::vector<std::size_t>{32, 32}));
}

}  // namespace
