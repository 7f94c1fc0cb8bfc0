// SPDX-License-Identifier: Apache-2.0
// NumPy's .npy format, versions 1.0 to 3.0: a Python literal that describes one array, then bytes.
#pragma once

#include <memory>  // shared_ptr, unique_ptr

#include "formats/files/atomic_file.hpp"      // atomic_file
#include "formats/files/byte_source.hpp"      // byte_source
#include "formats/signals/sample_reader.hpp"  // sample_reader

namespace wingbeat::formats {

/// Opens the array: one dimension is one row, two are rows of samples, maybe only one. Takes b1,
/// i1 to i8, u1 to u8, f2 to f8, c8 and c16 in either byte order, in C or Fortran order; integers
/// beyond 2^53 are rounded.
/// Throws `file_error` naming the source for anything else, and for too few or too many bytes.
[[nodiscard]] std::unique_ptr<sample_reader> open_npy(std::shared_ptr<const byte_source> source);

/// Writes version 1.0, little-endian, C order: f4, f8, c8 or c16 by the signal's flags; one
/// dimension for one row, two for several rows and for a table.
void write_npy(atomic_file& file, const signal& recording);

}  // namespace wingbeat::formats
