// SPDX-License-Identifier: Apache-2.0
// RIFF WAVE recordings: PCM of 8, 16, 24 or 32 bits, IEEE float of 32 or 64 bits.
#pragma once

#include <cstddef>  // byte, size_t
#include <span>
#include <string_view>

#include "formats/atomic_file.hpp"  // atomic_file
#include "formats/signal.hpp"       // signal

namespace wingbeat::formats {

/// Returns one channel as one real row with its sample rate.  Scale: PCM maps to [-1, 1), that is
/// the integer divided by 2^(bits-1), where 8 bits are unsigned and 128 is zero; floats are taken
/// as they are. A streamed recording, whose RIFF size is 0 or 0xFFFFFFFF, may say the same of its
/// data: they reach to the end of the file, and a frame that is cut there is dropped.
/// WAVE_FORMAT_EXTENSIBLE is read when it wraps one of these. Throws `file_error` naming `name`
/// and what is wrong, and `plan_error` for a channel that the file does not have.
[[nodiscard]] signal read_wav(std::span<const std::byte> content, std::string_view name,
                              std::size_t channel = 0);

/// Writes a real signal as IEEE floats of 32 bits, each row a channel. Throws `plan_error` for
/// complex samples, for a sample rate that is no whole number of Hz from 1 to 2^32 - 1, for more
/// than 65,535 rows and where the file would exceed 4 GiB; `file_error` for a sample beyond fp32.
void write_wav(atomic_file& to, const signal& recording);

}  // namespace wingbeat::formats
