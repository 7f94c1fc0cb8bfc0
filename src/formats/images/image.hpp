// SPDX-License-Identifier: Apache-2.0
// Images in files, whatever the format, and the function that writes them by their name.
#pragma once

#include <array>
#include <cstddef>  // byte, ptrdiff_t, size_t
#include <cstdint>  // uint32_t
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "formats/images/samples.hpp"  // image_samples

namespace wingbeat::formats {

/// The distance of neighbouring pixels in angstrom, along each axis; 0: the file does not say.
struct pixel_size {
  double z = 0;  ///< From one image of the stack to the next.
  double y = 0;
  double x = 0;
};

/// Where a file of MRC or FITS places samples, and the units of the latter; written with a stack of
/// the same format that was made of the file's images.
struct file_placement {
  std::array<std::uint32_t, 21> words = {};  ///< Of MRC's header, those that `mrc.cpp` lists.
  std::array<std::size_t, 3> lengths = {};   ///< Columns, rows and sections of MRC, else 0.
  std::array<std::ptrdiff_t, 3> first = {};  ///< The file's under sample 0 of each axis.
  std::vector<std::string> fits_cards = {};  ///< Those that `fits_read.cpp` keeps.
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
  bool is_complex = false;     ///< The two channels are the real and the imaginary part.
  pixel_size pixel_angstrom = {};
  std::optional<file_placement> placement = {};  ///< Of images of an MRC or FITS file.
};

/// Returns the stack without its samples.
[[nodiscard]] inline image_stack shape_of(const image_stack& stack) {
  return {.n_images = stack.n_images,
          .height = stack.height,
          .width = stack.width,
          .n_channels = stack.n_channels,
          .full_scale = stack.full_scale,
          .is_stack = stack.is_stack,
          .is_complex = stack.is_complex,
          .pixel_angstrom = stack.pixel_angstrom,
          .placement = stack.placement};
}

/// The most that samples may take in memory unless the caller says otherwise: 2^33 bytes.
inline constexpr std::size_t default_image_limit_bytes = std::size_t{1} << 33;

/// Returns whether this build reads and writes PNG, JPEG and TIFF (CMake option WINGBEAT_IMAGES).
/// `.npy` and MRC are read, and `.npy`, MRC and FITS are written, by every build.
[[nodiscard]] bool has_image_libraries() noexcept;

/// Returns whether this build reads FITS (CMake option WINGBEAT_FITS).
[[nodiscard]] bool has_cfitsio() noexcept;

/// Returns whether the format that the extension names has numbers of the type. Throws `plan_error`
/// for another extension, so that a caller can ask before the work is done; without one, a pipe, a
/// device and stdout ("-") are .npy.
[[nodiscard]] bool is_stored_as(const std::filesystem::path& file, number_type type);

/// Throws `plan_error` unless the format that the extension names holds such images.
void require_holds(const std::filesystem::path& file, std::size_t n_images, std::size_t n_channels);

/// What becomes the darkest and the lightest number of 8 or 16 bits.
struct value_range {
  double black = 0;
  double white = 0;
};

/// How to write. A field that the format has no use for must be unset.
struct image_write_options {
  /// Of the numbers, one that the format has; unset: its first in the table below. int32 is of
  /// samples that are such numbers.
  std::optional<number_type> type = {};
  /// Of 8 and 16 bits, of all samples but alpha; unset: the least and the largest of one image.
  /// Alpha goes from 0 to the stack's full scale, or to 1 where it has none.
  std::optional<value_range> range = {};
};

/// Writes the images in the format that the extension names; the file appears whole or not at all.
///
/// | format | numbers | images | channels |
/// |---|---|---|---|
/// | .npy | fp32, fp64 or int32, (H, W), (N, H, W), with channels (N, H, W, C) | any | any |
/// | FITS | fp32, fp64 or int32 | any | 1 |
/// | MRC | fp32 or fp16 | any | 1 |
/// | TIFF | fp32, 8 or 16 bits, a page an image, uncompressed; BigTIFF from 4 GiB | any | any |
/// | PNG | 8 or 16 bits | 1 | any |
/// | JPEG | 8 bits, of quality 95 | 1 | 1 or 3 |
///
/// Returns the range that becomes 0 .. 2^bits - 1, linearly and rounded; all channels share it.
/// Samples beyond it are clamped, NaN becomes 0, and 0 is all that an empty range gives.
/// Infinities do not count for the least and the largest sample. Other numbers have no range.
/// Throws `plan_error` for a stack that the format cannot hold or options that contradict it, and
/// `file_error` if the file cannot be written.
std::optional<value_range> write_images(const std::filesystem::path& file, const image_stack& stack,
                                        const image_write_options& options = {});

}  // namespace wingbeat::formats
