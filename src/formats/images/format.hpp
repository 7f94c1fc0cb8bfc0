// SPDX-License-Identifier: Apache-2.0
// The formats of images: what each does to read a stack, and to write one, a few images at a time.
// Another one is a file with its source and sink, which are declared here, and a line of the table.
#pragma once

#include <cstddef>  // size_t
#include <cstdint>  // uint64_t
#include <filesystem>
#include <memory>  // unique_ptr
#include <optional>
#include <span>
#include <string_view>
#include <utility>  // move
#include <vector>

#include "formats/files/atomic_file.hpp"  // atomic_file
#include "formats/files/byte_source.hpp"  // byte_source
#include "formats/images/image.hpp"       // image_samples, image_stack, image_write_options

namespace wingbeat::formats {

/// Decodes images of one file, whose shape is known and was checked.
class image_source {
 public:
  image_source(const image_source&) = delete;
  image_source& operator=(const image_source&) = delete;
  virtual ~image_source() = default;

  /// Returns the stack without its samples.
  [[nodiscard]] const image_stack& shape() const noexcept { return shape_; }

  /// Returns the samples of `count` images from `first` on, which must exist.
  /// Throws `file_error` for bytes that cannot be decoded.
  [[nodiscard]] virtual image_samples read(std::size_t first, std::size_t count) = 0;

 protected:
  explicit image_source(image_stack shape = {}) : shape_(std::move(shape)) {}

  /// Of a source whose constructor reads the header.
  void set_shape(image_stack shape) { shape_ = std::move(shape); }

 private:
  image_stack shape_;
};

/// Writes the images of one stack, whose shape it was made with.
class image_sink {
 public:
  image_sink() = default;
  image_sink(const image_sink&) = delete;
  image_sink& operator=(const image_sink&) = delete;
  virtual ~image_sink() = default;

  /// Appends the samples of the next images, one or more of them, whole.
  virtual void add(const image_samples& samples) = 0;

  /// Completes what depends on all samples, once all images were added; returns the range of a
  /// format that maps samples to numbers.
  virtual std::optional<value_range> finish() { return {}; }
};

/// Opens a file, which must outlive the result. `limit_bytes` holds for the samples of one image.
/// Throws `file_error` naming the source for anything that the format's reader does not read, and
/// before memory is taken where a file claims more than it can hold; `plan_error` in a build
/// without the format's library.
using image_opener = std::unique_ptr<image_source>(const byte_source& source,
                                                   std::size_t limit_bytes);

/// Returns what writes a stack that the format holds, of which it takes the shape alone; the
/// options have a type. Throws as `write_images` does.
using image_creator = std::unique_ptr<image_sink>(atomic_file& file, const image_stack& shape,
                                                  const image_write_options& options);

struct image_format_entry {
  std::string_view content;               ///< As `signed_content` names it.
  std::vector<std::string_view> endings;  ///< Of files that are written, the first the name.
  std::string_view channels;              ///< The digits of the numbers of channels it holds.
  bool holds_stacks;
  std::vector<number_type> types;  ///< Of numbers that it holds, the first unless asked otherwise.
  image_opener* open;
  image_creator* create;
};

/// Returns the table.
[[nodiscard]] std::span<const image_format_entry> image_formats();

/// Returns the format that a name's extension chooses. Throws `plan_error` for one that none
/// has; .npy is that of a pipe, a device or stdout ("-") without extension.
[[nodiscard]] const image_format_entry& entry_of(const std::filesystem::path& file);

// Images in NumPy's .npy format.

/// Returns the array as images: 2 dimensions are one, [y][x]; 3 a stack, [image][y][x]; 4 a stack
/// with 1 to 4 channels, [image][y][x][channel]. Takes b1, i1 to i8, u1 to u8, f2, f4 and f8 in
/// either byte order, in C or Fortran order; c8 and c16 in C order without channels.
/// Images of a stack in Fortran order lie across the file: each read walks all of it.
image_opener open_npy_images;

/// Writes version 1.0, little-endian, C order, with the dimensions that reading returns, as f4 or,
/// as the options say, f8, or i4 of samples that are whole numbers of 32 bits. Nothing but the
/// shape of `stack` is read.
image_creator npy_sink;

// PNG images by libpng; absent in a build without it.

/// Returns the one image: grey, grey and alpha, RGB or RGBA of 1 to 16 bits, interlaced or not. A
/// palette becomes its RGB of 8 bits, with alpha where it has some. Otherwise the numbers are those
/// in the file: 0 and 1 of 1 bit, 0 to 65535 of 16. Gamma, colour profiles and a transparent
/// colour are ignored, and so is what follows the image's end.
/// Rows are decoded one at a time unless the image is interlaced.
image_opener open_png;

/// Writes one image as `write_images` describes.
image_creator png_sink;

// JPEG images by libjpeg-turbo; absent in a build without it.

/// Returns the one image, grey or RGB of 8 bits, turned and mirrored as the orientation of its EXIF
/// says. Sequential and progressive, Huffman and arithmetic coding are read; four colours (CMYK),
/// lossless coding and 12 bits are refused, and so is coded data that is damaged or ends early.
image_opener open_jpeg;

/// Writes one image as `write_images` describes, with no colour at a lower resolution.
image_creator jpeg_sink;

// TIFF images by libtiff; absent in a build without it.

/// Returns the pages, which must have one shape and one type; thumbnails and masks are left out.
/// One page may stand for several images (ImageJ above 4 GiB, tifffile, MetaMorph).
/// Reads classic TIFF and BigTIFF in either byte order, strips and tiles, planes interleaved or
/// separate, by every codec of libtiff but that of JPEG in TIFF 6.0; unsigned integers of 1 to 16,
/// 32 and 64 bits, signed ones of 8 to 64, floats of 16, 32 and 64, and complex ones; 1 to 4
/// channels. A palette becomes its RGB of 16 bits, YCbCr of JPEG its RGB. Otherwise the numbers are
/// those in the file, also where 0 is white, and the orientation is ignored. The pixel size is the
/// resolution, if that is per centimetre.
image_opener open_tiff;

/// Writes fp32, or as the options say 8 or 16 bits, without compression, a page an image and one
/// strip a page, little-endian; BigTIFF where the file may exceed `largest_classic_bytes`, beyond
/// which classic offsets do not reach. Channels 2 and 4 are alpha, not premultiplied. The
/// resolution is written per centimetre where the pixel size is known.
/// Throws `plan_error` for a pipe.
[[nodiscard]] std::unique_ptr<image_sink> tiff_sink(
    atomic_file& file, const image_stack& stack, const image_write_options& options,
    std::uint64_t largest_classic_bytes = 0xFFFFFFFF);

// FITS images and cubes: read by cfitsio, which a build may lack; written by ourselves.

/// Returns the first image of the file that has two axes or more, plain or compressed in tiles; the
/// third and further axes are a stack. Samples are BZERO + BSCALE times the number, NaN where that
/// is BLANK; row 0 is the first in the file. The pixel size is CDELT where CUNIT is a length.
image_opener open_fits;

/// Writes fp32, fp64 or int32 without scales, with the units and coordinates of the FITS file that
/// the images are from, or their pixel size.
image_creator fits_sink;

// Datasets of HDF5 as images and stacks of images.

/// Opens the dataset of the source's name, (y, x) or (image, y, x), of real or complex numbers.
image_opener open_hdf5_images;

/// Writes the dataset `images`, fp32 or fp64, with axes in pixels, or in angstrom where their size
/// is known.
image_creator hdf5_sink;

// MRC2014, the format of electron microscopy: a header of 1,024 bytes, an extended one, samples.

/// Returns whether the content has MRC's mark, or begins with numbers that an older file may have.
[[nodiscard]] bool is_mrc(const byte_source& source);

/// Returns the sections, of a stack or a volume, in the order of the file: its columns are x, its
/// rows y. Reads modes 0 (int8; uint8 where IMOD's flags or the range say so), 1 (int16), 2 (fp32),
/// 3 and 4 (complex int16 and fp32), 6 (uint16), 12 (fp16) and 101 (4 bits). The byte order is that
/// of the machine stamp; without one, that in which the header makes sense. The extended header is
/// skipped, and so are bytes behind the samples. Pixel sizes are those of the cell.
image_opener open_mrc;

/// Writes mode 2 (fp32) or, as the options say, 12 (fp16), little-endian, placed as the file that
/// the images are from or as a stack (space group 0). It has the statistics of the samples as
/// stored, but where a sample is NaN or infinite, and where a pipe takes images one by one.
/// Throws `plan_error` for a length above 2^31 - 1.
image_creator mrc_sink;

}  // namespace wingbeat::formats
