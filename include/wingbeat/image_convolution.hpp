// SPDX-License-Identifier: Apache-2.0
// Convolutions of images with kernel images: blurs, glows, sharpening. Pixels are grey, RGB or
// RGBA, in fp16, fp32 or fp64; a border says what lies outside the image. Neither padding nor
// borders nor separate planes of colours exist in memory.
#pragma once

#include <cstddef>  // size_t
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "wingbeat/buffer.hpp"                  // buffer_view
#include "wingbeat/convolution.hpp"             // extent
#include "wingbeat/device/functors/border.hpp"  // border
#include "wingbeat/plan.hpp"                    // precision
#include "wingbeat/prepared_operation.hpp"      // prepared_operation
#include "wingbeat/queue.hpp"                   // queue

namespace wingbeat {

using device::functors::border;

/// What a kernel is divided by.
enum class normalisation {
  none,         ///< Nothing.
  by_sum,       ///< Each of its colours by that colour's sum: a grey area keeps its colour.
  by_luminance  ///< All by the luminance of the sums, 0.212639 R + 0.715169 G + 0.072192 B: a
                ///< white area keeps its luminance, and the kernel its tint.
};

[[nodiscard]] std::string_view name_of(border outside) noexcept;  ///< "zero", "mirror", ..
[[nodiscard]] std::string_view name_of(
    normalisation rule) noexcept;  ///< "none", "sum", "luminance"

/// The description of an image convolution. Images, kernels and results are packed,
/// [y][x][channel].
///
///     image_convolution glow{queue, {.height = 1080, .width = 1920, .channels = 4,
///                                    .kernel_height = 255, .kernel_width = 255,
///                                    .outside = border::mirror,
///                                    .normalise = normalisation::by_luminance,
///                                    .stored = precision::fp16}};
///     buffer spectra{queue, glow.spectra_bytes()};
///     glow.prepare(queue, kernel.view(), spectra.view());
///     glow.enqueue(queue, spectra.view(), frame.view(), blurred.view());
struct image_convolution_spec {
  std::size_t height = 0, width = 0;  ///< Of the image, in pixels.
  std::size_t channels = 3;           ///< 1 grey, 2 grey and alpha, 3 RGB, 4 RGBA.
  std::size_t kernel_height = 0, kernel_width = 0;
  std::size_t kernel_channels = 1;  ///< 1 for all colours, or 3: one each for R, G and B.
  /// Which pixels are computed. In mode `same` the kernel's centre is its pixel
  /// ((kernel_height - 1) / 2, (kernel_width - 1) / 2), rounded down: a kernel of 1 there and 0
  /// elsewhere leaves the image as it is. Mode `valid` reaches no pixel outside the image.
  extent mode = extent::same;
  border outside = border::zero;
  normalisation normalise = normalisation::none;
  /// Type of image and result, fp16, fp32 or fp64. Arithmetic and kernels are fp32, or fp64 with
  /// that.
  precision stored = precision::fp32;
  /// Type of spectra and workspace: fp32, fp16 or bf16; they are fp64 where images are. The peaks,
  /// for fp16, are the largest magnitudes of pixels and of normalised kernels. See
  /// `convolution_spec`.
  precision between = precision::fp32;
  double image_peak = 0, kernel_peak = 0;

  friend bool operator==(const image_convolution_spec&, const image_convolution_spec&) = default;
};

/// A planned convolution of one image size with one kernel size. Immutable once built, so many
/// threads may enqueue it at once.
///
///     out[y, x, c] = sum over j, i of kernel[j, i, c] image[y + cy - j, x + cx - i, c]
///
/// with the kernel's centre (cy, cx), in mode `same`. Alpha is not convolved: a pixel of the result
/// has the alpha of the image's pixel under the kernel's centre; outside the image, which only mode
/// `full` reaches, it follows the border as colours do.
class image_convolution : public prepared_operation {
 public:
  /// Validates `spec` and prepares it for the device behind `on`. Throws `plan_error`, naming the
  /// field at fault, or `device_error`.
  image_convolution(const queue& on, const image_convolution_spec& spec);

  [[nodiscard]] const image_convolution_spec& spec() const;

  /// Returns {height, width} of the result; `padded` returns the padded lengths of both axes,
  /// although no memory holds the padding.
  [[nodiscard]] std::vector<std::size_t> result() const;
  [[nodiscard]] const std::vector<std::size_t>& padded() const;

  [[nodiscard]] std::size_t image_bytes() const;   ///< height, width, channels, as stored.
  [[nodiscard]] std::size_t kernel_bytes() const;  ///< Floats, or doubles for pixels in fp64.
  [[nodiscard]] std::size_t output_bytes() const;  ///< As many channels as the image, as stored.

  /// Returns the bytes of a prepared kernel. Its layout is private to convolutions of this spec.
  [[nodiscard]] std::size_t spectra_bytes() const;

  /// Queues the spectra of a kernel. No view overlaps another. With a normalisation this waits for
  /// the queue, because sums are computed on the host in fp64; it throws `plan_error` for a kernel
  /// whose sum is 0 or not finite. Throws as `plan::enqueue` does.
  void prepare(queue& on, buffer_view kernel, buffer_view spectra,
               buffer_view workspace = {}) const;

  /// Queues one run over an image. Nothing is allocated or waited for. No view overlaps another.
  /// Throws as `plan::enqueue` does.
  void enqueue(queue& on, buffer_view spectra, buffer_view image, buffer_view out,
               buffer_view workspace = {}) const;

 private:
  struct impl;
  [[nodiscard]] const impl& own() const;
};

}  // namespace wingbeat
