// SPDX-License-Identifier: Apache-2.0
// TIFF images: read by libtiff, which a build may lack; written by ourselves.
#pragma once

#include <cstdint>  // uint64_t
#include <memory>   // unique_ptr
#include <string_view>

#include "formats/files/byte_source.hpp"  // byte_source
#include "formats/images/image.hpp"       // image_stack
#include "formats/images/sink.hpp"        // image_sink
#include "formats/images/source.hpp"      // image_source

namespace wingbeat::formats {

/// Returns whether a file begins as a TIFF does, classic or big, in either byte order.
[[nodiscard]] bool is_tiff(std::string_view head);

/// Returns the pages, which must have one shape and one type; thumbnails and masks are left out.
/// One page may stand for several images (ImageJ above 4 GiB, tifffile, MetaMorph).
/// Reads classic TIFF and BigTIFF in either byte order, strips and tiles, planes interleaved or
/// separate, uncompressed or by LZW, deflate or PackBits; unsigned integers of 1, 2, 4, 8, 16, 32
/// and 64 bits, signed ones of 8 to 64, floats of 16, 32 and 64; 1 to 4 channels. A palette becomes
/// its RGB of 16 bits. Otherwise the numbers are those in the file, also where 0 is white, and the
/// orientation is ignored. The pixel size is the resolution, if that is per centimetre.
/// Throws `file_error` naming the source, before memory is taken where it claims more than it can
/// hold.
[[nodiscard]] std::unique_ptr<image_source> open_tiff(const byte_source& source,
                                                      std::size_t limit_bytes);

/// Writes fp32 without compression, a page an image and one strip a page, little-endian; BigTIFF
/// where the file exceeds `largest_classic_bytes`, beyond which classic offsets do not reach.
/// Channels 2 and 4 are alpha, not premultiplied. The resolution is written per centimetre where
/// the pixel size is known.
/// Nothing but the shape of `stack` is read.
[[nodiscard]] std::unique_ptr<image_sink> tiff_sink(
    atomic_file& file, const image_stack& stack, std::uint64_t largest_classic_bytes = 0xFFFFFFFF);

}  // namespace wingbeat::formats
