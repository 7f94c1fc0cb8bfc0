// SPDX-License-Identifier: Apache-2.0
// VDIF, the VLBI data interchange format: frames of a header of 32 bytes, or 16 in its legacy form,
// and of samples, the first in the lowest bits, channel by channel.
#pragma once

#include <cstddef>  // byte, size_t
#include <memory>   // unique_ptr
#include <optional>
#include <span>
#include <string_view>

#include "formats/files/byte_source.hpp"  // byte_source
#include "formats/voltages/voltages.hpp"  // voltages, voltage_file

namespace wingbeat::formats {

struct vdif_options {
  /// Frames of a thread in a second. Unset: one more than the highest number of a frame, which is
  /// right where one whole second was recorded; not needed within one second.
  std::optional<std::size_t> frames_per_second = {};
  /// Samples of a channel in a second, from which the above follows where it is unset.
  std::optional<double> sample_rate_hz = {};
};

/// Returns whether a file of this size, none of a pipe, is VDIF as far as its first bytes tell:
/// there is no magic number.
[[nodiscard]] bool is_vdif(std::span<const std::byte> head, std::optional<std::size_t> size_bytes);

/// Returns the frames in order, each of one or two threads as a polarisation, by the threads'
/// numbers. Samples have 2, 4, 8 or 16 bits, real or complex; they are coded from the lowest value
/// up and come out as integers around 0, those of 2 bits as -3, -1, 1 and 3. Frames that are left
/// out, or marked invalid, are missing packets. Throws `file_error` naming `name` for headers that
/// are damaged, differ or claim more than follows.
[[nodiscard]] voltages read_vdif(std::span<const std::byte> content, std::string_view name,
                                 const vdif_options& options = {});

/// As above; the samples are read at once.
[[nodiscard]] std::unique_ptr<voltage_file> open_vdif(const byte_source& source,
                                                      const vdif_options& options);

}  // namespace wingbeat::formats
