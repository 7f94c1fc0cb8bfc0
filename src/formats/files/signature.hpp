// SPDX-License-Identifier: Apache-2.0
// Identifies a file by its first bytes, for readers whose own format has no signature.
#pragma once

#include <cstddef>  // byte
#include <span>
#include <string_view>

namespace wingbeat::formats {

/// Returns the kind of file whose magic number begins `head`, such as "a PNG image"; an empty text
/// if there is none. Formats with a signature of fewer than three bytes are unknown.
[[nodiscard]] std::string_view signed_content(std::span<const std::byte> head);

/// Returns whether a byte is one that no text has, whatever its encoding but UTF-16.
[[nodiscard]] bool is_binary(std::span<const std::byte> head);

/// Returns whether all bytes belong to a text in ASCII or UTF-8, without zeros and control
/// characters. `head` may end inside a letter.
[[nodiscard]] bool is_text(std::span<const std::byte> head);

}  // namespace wingbeat::formats
