// SPDX-License-Identifier: Apache-2.0
// A file's bytes in memory.
#pragma once

#include <cstddef>  // byte
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace wingbeat::formats {

/// The default limit of a read file, 2^32 bytes, so that an endless device does not fill the
/// memory.
inline constexpr std::size_t largest_file_bytes = std::size_t{1} << 32;

/// Returns the file's name for messages, "stdin" for "-".
[[nodiscard]] std::string shown_name(const std::filesystem::path& file);

/// Returns all bytes of the file, or of a pipe up to its end; "-" is stdin.
/// Throws `file_error`: missing, a directory, not readable, empty, or larger than `limit_bytes`;
/// messages name the `content` to give.
[[nodiscard]] std::vector<std::byte> read_whole_file(const std::filesystem::path& file,
                                                     std::size_t limit_bytes = largest_file_bytes,
                                                     std::string_view content = "samples");

}  // namespace wingbeat::formats
