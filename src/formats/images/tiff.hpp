// SPDX-License-Identifier: Apache-2.0
// TIFF images by libtiff; absent in a build without it.
#pragma once

#include <cstdint>  // uint64_t
#include <memory>   // unique_ptr

#include "formats/files/byte_source.hpp"  // byte_source
#include "formats/images/image.hpp"       // image_stack
#include "formats/images/sink.hpp"        // image_sink
#include "formats/images/source.hpp"      // image_source

namespace wingbeat::formats {

/// Returns the pages, which must have one shape and one type; thumbnails and masks are left out.
/// One page may stand for several images (ImageJ above 4 GiB, tifffile, MetaMorph).
/// Reads classic TIFF and BigTIFF in either byte order, strips and tiles, planes interleaved or
/// separate, by every codec of libtiff but that of JPEG in TIFF 6.0; unsigned integers of 1 to 16,
/// 32 and 64 bits, signed ones of 8 to 64, floats of 16, 32 and 64, and complex ones; 1 to 4
/// channels. A palette becomes its RGB of 16 bits, YCbCr of JPEG its RGB. Otherwise the numbers are
/// those in the file, also where 0 is white, and the orientation is ignored. The pixel size is the
/// resolution, if that is per centimetre.
/// Throws `file_error` naming the source, before memory is taken where it claims more than it can
/// hold.
[[nodiscard]] std::unique_ptr<image_source> open_tiff(const byte_source& source,
                                                      std::size_t limit_bytes);

/// Writes fp32, or as the options say 8 or 16 bits, without compression, a page an image and one
/// strip a page, little-endian; BigTIFF where the file may exceed `largest_classic_bytes`, beyond
/// which classic offsets do not reach. Channels 2 and 4 are alpha, not premultiplied. The
/// resolution is written per centimetre where the pixel size is known.
/// Nothing but the shape of `stack` is read. Throws `plan_error` for a pipe.
[[nodiscard]] std::unique_ptr<image_sink> tiff_sink(
    atomic_file& file, const image_stack& stack, const image_write_options& options,
    std::uint64_t largest_classic_bytes = 0xFFFFFFFF);

}  // namespace wingbeat::formats
