// SPDX-License-Identifier: Apache-2.0
// MRC2014, the format of electron microscopy: a header of 1,024 bytes, an extended one, samples.
#pragma once

#include <memory>  // unique_ptr
#include <string_view>

#include "formats/files/byte_source.hpp"  // byte_source
#include "formats/images/image.hpp"       // image_stack
#include "formats/images/sink.hpp"        // image_sink
#include "formats/images/source.hpp"      // image_source

namespace wingbeat::formats {

/// Returns whether the content has MRC's mark, or begins with numbers that an older file may have.
[[nodiscard]] bool is_mrc(const byte_source& source, std::string_view head = {});

/// Returns the sections, of a stack or a volume, in the order of the file: its columns are x, its
/// rows y. Reads modes 0 (int8; uint8 where IMOD's flags or the range say so), 1 (int16), 2 (fp32),
/// 3 and 4 (complex int16 and fp32), 6 (uint16), 12 (fp16) and 101 (4 bits). The byte order is that
/// of the machine stamp; without one, that in which the header makes sense. The extended header is
/// skipped, and so are bytes behind the samples. Pixel sizes are those of the cell.
/// Throws `file_error` naming the source.
[[nodiscard]] std::unique_ptr<image_source> open_mrc(const byte_source& source,
                                                     std::size_t limit_bytes);

/// Writes mode 2 (fp32) or, as the options say, 12 (fp16), little-endian, placed as the file that
/// the images are from or as a stack (space group 0). It has the statistics of the samples as
/// stored, but where a sample is NaN or infinite, and where a pipe takes images one by one. Nothing
/// but the shape of `stack` is read.
/// Throws `plan_error` for a length above 2^31 - 1.
[[nodiscard]] std::unique_ptr<image_sink> mrc_sink(atomic_file& file, const image_stack& stack,
                                                   const image_write_options& options);

}  // namespace wingbeat::formats
