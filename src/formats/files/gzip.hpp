// SPDX-License-Identifier: Apache-2.0
// Files compressed by gzip; refused in a build without zlib.
#pragma once

#include <cstddef>  // size_t
#include <memory>   // unique_ptr

#include "formats/files/byte_source.hpp"  // byte_source

namespace wingbeat::formats {

/// Returns what a file of gzip, of one part or several, was before, or nothing where it is none. It
/// lies in a temporary file without a name. Throws `file_error` for a damaged or cut file and for
/// content above `limit_bytes`.
[[nodiscard]] std::unique_ptr<byte_source> inflated(const byte_source& packed,
                                                    std::size_t limit_bytes);

}  // namespace wingbeat::formats
