// SPDX-License-Identifier: Apache-2.0
// Images in files, whatever the format, and the function that writes them by their name.
#pragma once

#include <array>
#include <cstddef>  // byte, ptrdiff_t, size_t
#include <cstdint>  // uint32_t
#include <filesystem>
#include <optional>

#include "formats/images/samples.hpp"  // image_samples

namespace wingbeat::formats {

/// The distance of neighbouring pixels in angstrom, along each axis; 0: the file does not say.
struct pixel_size {
  double z = 0;  ///< From one image of the stack to the next.
  double y = 0;
  double x = 0;
};

/// Where MRC places samples in space; written with a stack that was made of the file's images.
struct mrc_placement {
  std::array<std::uint32_t, 21> words = {};  ///< Of the header, those that `mrc.cpp` lists.
  std::array<std::size_t, 3> lengths = {};   ///< Columns, rows and sections of the file.
  std::array<std::ptrdiff_t, 3> first = {};  ///< The file's under sample 0 of each axis.
};

/// One image or several of one shape. Samples are the numbers in the file: 0 to 255 of 8 bits, 0 to
/// 65535 of 16, without gamma; NaN and infinities pass. Row 0 is the first in the file.
struct image_stack {
  image_samples samples = {};  // [image][y][x][channel]
  std::size_t n_images = 1;
  std::size_t height = 0;
  std::size_t width = 0;
  std::size_t n_channels = 1;  ///< 1 grey, 2 grey and alpha, 3 RGB, 4 RGBA.
  double full_scale = 0;       ///< White, and opaque: 255 or 65535 of unsigned samples of 8 or 16
                               ///< bits, less of fewer; 0: the file does not say.
  bool is_stack = false;       ///< One image is shape (1, H, W), not (H, W); several always are.
  pixel_size pixel_angstrom = {};
  std::optional<mrc_placement> placement = {};  ///< Of images of an MRC file.
};

/// Returns the stack without its samples.
[[nodiscard]] image_stack shape_of(const image_stack& stack);

/// The most that samples may take in memory unless the caller says otherwise: 2^33 bytes.
inline constexpr std::size_t default_image_limit_bytes = std::size_t{1} << 33;

/// Returns whether this build reads PNG and TIFF and writes PNG (CMake option WINGBEAT_IMAGES).
/// `.npy` and MRC are read, and `.npy`, MRC and TIFF are written, by every build.
[[nodiscard]] bool has_image_libraries() noexcept;

enum class image_format { npy, mrc, tiff, png };

/// Returns the format that the extension names (.npy, .mrc, .mrcs, .tif, .tiff, .png); .npy for a
/// pipe, a device or stdout ("-") without extension.
/// Throws `plan_error` for any other, so that a caller can ask before the work is done.
[[nodiscard]] image_format image_format_of(const std::filesystem::path& file);

/// What becomes the darkest and the lightest number of a PNG.
struct value_range {
  double black = 0;
  double white = 0;
};

/// How to write. A field that the format has no use for must have its default.
struct image_write_options {
  bool is_half_precision = false;    ///< MRC: fp16 (mode 12) instead of fp32 (mode 2).
  bool is_double_precision = false;  ///< .npy: fp64 instead of fp32.
  bool is_int32 = false;             ///< .npy: int32, of samples that are such numbers.
  int png_bits = 8;                  ///< PNG: 8 or 16.
  /// PNG, of all samples but alpha; unset: the least and the largest of them. Alpha goes from 0 to
  /// the stack's full scale, or to 1 where it has none.
  std::optional<value_range> png_range = {};
};

/// Writes the images in the format that the extension names; the file appears whole or not at all.
///
/// | format | numbers | images | channels |
/// |---|---|---|---|
/// | .npy | fp32, fp64 or int32, (H, W), (N, H, W), with channels (N, H, W, C) | any | any |
/// | MRC | fp32 or fp16 | any | 1 |
/// | TIFF | fp32, a page an image, uncompressed; BigTIFF from 4 GiB | any | any |
/// | PNG | 8 or 16 bits | 1 | any |
///
/// Returns the range that a PNG maps to 0 .. 2^bits - 1, linearly and rounded; all channels share
/// it. Samples beyond it are clamped, NaN becomes 0, and 0 is all that an empty range gives.
/// Infinities do not count for the least and the largest sample. Other formats have no range.
/// Throws `plan_error` for a stack that the format cannot hold or options that contradict it, and
/// `file_error` if the file cannot be written.
std::optional<value_range> write_images(const std::filesystem::path& file, const image_stack& stack,
                                        const image_write_options& options = {});

}  // namespace wingbeat::formats
