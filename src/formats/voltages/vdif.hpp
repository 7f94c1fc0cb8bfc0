// SPDX-License-Identifier: Apache-2.0
// VDIF, the VLBI data interchange format: frames of a header of 32 bytes, or 16 in its legacy form,
// and of samples, the first in the lowest bits, channel by channel.
#pragma once

#include <cstddef>  // byte, size_t
#include <memory>   // unique_ptr
#include <optional>
#include <span>

#include "formats/files/byte_source.hpp"  // byte_source
#include "formats/voltages/voltages.hpp"  // voltage_file, voltage_options

namespace wingbeat::formats {

/// Returns whether a file of this size, none of a pipe, is VDIF as far as its first bytes tell:
/// there is no magic number.
[[nodiscard]] bool is_vdif(std::span<const std::byte> head, std::optional<std::size_t> size_bytes);

/// Opens a file of any size, of which headers are read at once, and samples when they are asked
/// for. Frames may come in any order, each of one or two threads as a polarisation, by the threads'
/// numbers. Samples have 1, 2, 4, 8 or 16 bits, real or complex; they are coded from the lowest
/// value up and come out as integers around 0, those of 1 bit as -1 and 1, those of 2 bits as -3,
/// -1, 1 and 3. Frames that are left out, or marked invalid, are missing packets.
/// Frames of a second follow from the sample rate, that of the options or of extended headers 1 and
/// 3; else they are one more than the highest number of a frame, which is right where one whole
/// second was recorded, and not needed within one second.
/// Frames that are damaged, cut, of another shape than the first, there twice or far from the time
/// of most are left out, as a remark says. Throws `file_error` naming the source, which must
/// outlive the file, where most frames are damaged.
/// docs/formats.md has all fields.
[[nodiscard]] std::unique_ptr<voltage_file> open_vdif(const byte_source& source,
                                                      const voltage_options& options);

}  // namespace wingbeat::formats
