// SPDX-License-Identifier: Apache-2.0
// PSRDADA: files of a header of lines "KEY value", and of samples, [time][channel][polarisation]
// unless ORDER says so.
#pragma once

#include <memory>  // unique_ptr

#include "formats/files/byte_source.hpp"  // byte_source
#include "formats/voltages/voltages.hpp"  // voltage_file

namespace wingbeat::formats {

/// Opens a file, or the files of a sequence, of which headers are read at once, and samples when
/// they are asked for. Files are placed by OBS_OFFSET; those without a header follow the one
/// before, so that a header may be a file of its own. Files that are damaged, of another header
/// than the first or at no place of their own are left out, as a remark says. Throws `file_error`
/// naming the source, which must outlive the file. docs/formats.md has all keys.
[[nodiscard]] std::unique_ptr<voltage_file> open_dada(const byte_source& source);

}  // namespace wingbeat::formats
