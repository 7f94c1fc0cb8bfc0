// SPDX-License-Identifier: Apache-2.0
// Datasets of HDF5 as signals.
#pragma once

#include <filesystem>
#include <memory>  // unique_ptr

#include "formats/files/atomic_file.hpp"      // atomic_file
#include "formats/signals/sample_reader.hpp"  // sample_reader

namespace wingbeat::formats {

/// Opens the dataset of a name, file.h5:/path: axes of length 1 do not count, one axis is a row,
/// two are rows of samples. The rate is that of an attribute `sample_rate`, or of one of its other
/// common names, in Hz. Throws `file_error` naming the dataset for more axes.
[[nodiscard]] std::unique_ptr<sample_reader> open_hdf5(const std::filesystem::path& name);

/// Writes a signal as the dataset `values`, with an axis of rows, if there are, and one of
/// frequencies, times, or numbers of samples where the rate is unknown. Throws as `hdf5_writer`
/// does.
void write_hdf5(const atomic_file& file, const signal& recording);

}  // namespace wingbeat::formats
