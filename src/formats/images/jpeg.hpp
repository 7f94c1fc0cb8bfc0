// SPDX-License-Identifier: Apache-2.0
// JPEG images by libjpeg-turbo; absent in a build without it.
#pragma once

#include <memory>  // unique_ptr

#include "formats/files/byte_source.hpp"  // byte_source
#include "formats/images/image.hpp"       // image_stack, image_write_options
#include "formats/images/sink.hpp"        // image_sink
#include "formats/images/source.hpp"      // image_source

namespace wingbeat::formats {

/// Returns the one image, grey or RGB of 8 bits, turned and mirrored as the orientation of its EXIF
/// says. Sequential and progressive, Huffman and arithmetic coding are read; four colours (CMYK),
/// lossless coding and 12 bits are refused, and so is coded data that is damaged or ends early.
/// Throws `file_error` naming the source.
[[nodiscard]] std::unique_ptr<image_source> open_jpeg(const byte_source& source,
                                                      std::size_t limit_bytes);

/// Writes one image as `write_images` describes, with no colour at a lower resolution.
[[nodiscard]] std::unique_ptr<image_sink> jpeg_sink(atomic_file& file, const image_stack& shape,
                                                    const image_write_options& options);

}  // namespace wingbeat::formats
