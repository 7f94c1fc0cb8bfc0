// SPDX-License-Identifier: Apache-2.0
// Datasets of HDF5 as images and stacks of images.
#pragma once

#include <memory>  // unique_ptr

#include "formats/files/atomic_file.hpp"  // atomic_file
#include "formats/files/byte_source.hpp"  // byte_source
#include "formats/images/image.hpp"       // image_stack, image_write_options
#include "formats/images/sink.hpp"        // image_sink
#include "formats/images/source.hpp"      // image_source

namespace wingbeat::formats {

/// Opens the dataset of the source's name, of real numbers: (y, x), or (image, y, x).
/// Throws `file_error` naming it; `plan_error` in a build without libhdf5.
[[nodiscard]] std::unique_ptr<image_source> open_hdf5_images(const byte_source& source,
                                                             std::size_t limit_bytes);

/// Writes the dataset `images`, fp32 or fp64, with axes in pixels, or in angstrom where their size
/// is known.
[[nodiscard]] std::unique_ptr<image_sink> hdf5_sink(atomic_file& file, const image_stack& stack,
                                                    const image_write_options& options);

}  // namespace wingbeat::formats
