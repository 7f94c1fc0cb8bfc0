// SPDX-License-Identifier: Apache-2.0
// Images in NumPy's .npy format.
#pragma once

#include <memory>  // unique_ptr

#include "formats/files/byte_source.hpp"  // byte_source
#include "formats/images/image.hpp"       // image_stack
#include "formats/images/sink.hpp"        // image_sink
#include "formats/images/source.hpp"      // image_source

namespace wingbeat::formats {

/// Returns the array as images: 2 dimensions are one, [y][x]; 3 a stack, [image][y][x]; 4 a stack
/// with 1 to 4 channels, [image][y][x][channel]. Takes b1, i1 to i8, u1 to u8, f2, f4 and f8 in
/// either byte order, in C or Fortran order; c8 and c16 in C order without channels.
/// Throws `file_error` naming `name` for anything else, and for bytes too few or too many.
/// Images of a stack in Fortran order lie across the file: each read walks all of it.
[[nodiscard]] std::unique_ptr<image_source> open_npy_images(const byte_source& source,
                                                            std::size_t limit_bytes);

/// Writes version 1.0, little-endian, C order, with the dimensions that reading returns, as f4 or,
/// as the options say, f8, or i4 of samples that are whole numbers of 32 bits. Nothing but the
/// shape of `stack` is read.
[[nodiscard]] std::unique_ptr<image_sink> npy_sink(atomic_file& file, const image_stack& stack,
                                                   const image_write_options& options);

}  // namespace wingbeat::formats
