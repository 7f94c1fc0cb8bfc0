// SPDX-License-Identifier: Apache-2.0
// PNG images by libpng; absent in a build without it.
#pragma once

#include <memory>  // unique_ptr

#include "formats/files/byte_source.hpp"  // byte_source
#include "formats/images/image.hpp"       // image_stack, image_write_options
#include "formats/images/sink.hpp"        // image_sink
#include "formats/images/source.hpp"      // image_source

namespace wingbeat::formats {

/// Returns the one image: grey, grey and alpha, RGB or RGBA of 1 to 16 bits, interlaced or not. A
/// palette becomes its RGB of 8 bits, with alpha where it has some. Otherwise the numbers are those
/// in the file: 0 and 1 of 1 bit, 0 to 65535 of 16. Gamma, colour profiles and a transparent
/// colour are ignored, and so is what follows the image's end.
/// Rows are decoded one at a time unless the image is interlaced.
/// Throws `file_error` naming the source, before memory is taken where it claims more than it can
/// hold.
[[nodiscard]] std::unique_ptr<image_source> open_png(const byte_source& source,
                                                     std::size_t limit_bytes);

/// Writes one image as `write_images` describes.
[[nodiscard]] std::unique_ptr<image_sink> png_sink(atomic_file& file, const image_stack& shape,
                                                   const image_write_options& options);

}  // namespace wingbeat::formats
