// SPDX-License-Identifier: Apache-2.0
// FITS images and cubes: read by cfitsio, which a build may lack; written by ourselves.
#pragma once

#include <memory>  // unique_ptr

#include "formats/files/byte_source.hpp"  // byte_source
#include "formats/images/image.hpp"       // image_stack, image_write_options
#include "formats/images/sink.hpp"        // image_sink
#include "formats/images/source.hpp"      // image_source

namespace wingbeat::formats {

/// Returns the first image of the file that has two axes or more, plain or compressed in tiles; the
/// third and further axes are a stack. Samples are BZERO + BSCALE times the number, NaN where that
/// is BLANK; row 0 is the first in the file. The pixel size is CDELT where CUNIT is a length.
/// Throws `file_error` naming the source.
[[nodiscard]] std::unique_ptr<image_source> open_fits(const byte_source& source,
                                                      std::size_t limit_bytes);

/// Writes fp32, fp64 or int32 without scales, with the units and coordinates of the FITS file that
/// the images are from, or their pixel size. Nothing but the shape of `stack` is read.
[[nodiscard]] std::unique_ptr<image_sink> fits_sink(atomic_file& file, const image_stack& stack,
                                                    const image_write_options& options);

}  // namespace wingbeat::formats
