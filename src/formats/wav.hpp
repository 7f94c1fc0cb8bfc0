// SPDX-License-Identifier: Apache-2.0
// RIFF WAVE recordings: PCM of 8, 16, 24 or 32 bits, IEEE float of 32 or 64 bits.
#pragma once

#include <cstddef>  // byte, size_t
#include <span>
#include <string_view>

#include "formats/signal.hpp"  // signal

namespace wingbeat::formats {

/// Returns one channel as one real row with its sample rate.  Scale: PCM maps to [-1, 1), that is
/// the integer divided by 2^(bits-1), where 8 bits are unsigned and 128 is zero; floats are taken
/// as they are. A streamed recording, whose RIFF size is 0 or 0xFFFFFFFF, may say the same of its
/// data: they reach to the end of the file, and a frame that is cut there is dropped.
/// WAVE_FORMAT_EXTENSIBLE is read when it wraps one of these. Throws `file_error` naming `name`
/// and what is wrong, and `plan_error` for a channel that the file does not have.
[[nodiscard]] signal read_wav(std::span<const std::byte> content, std::string_view name,
                              std::size_t channel = 0);

}  // namespace wingbeat::formats
