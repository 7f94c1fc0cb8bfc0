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

/// Opens a file of real or complex samples of 1, 2, 4, 8, 16 or 32 bits, as `open_frames` does.
[[nodiscard]] std::unique_ptr<voltage_file> open_vdif(const byte_source& source,
                                                      const voltage_options& options);

}  // namespace wingbeat::formats
