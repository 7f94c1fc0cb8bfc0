// SPDX-License-Identifier: Apache-2.0
// What a file is by its first bytes, for readers whose own format has no mark.
#pragma once

#include <cstddef>  // byte
#include <span>
#include <string_view>

namespace wingbeat::formats {

/// Returns what begins with the magic number at the front of `head`, as "a PNG image"; an empty
/// text where there is none. Formats that are marked by fewer than three bytes are not known.
[[nodiscard]] std::string_view signed_content(std::span<const std::byte> head);

/// Returns whether all bytes are those of a text in ASCII or UTF-8: neither zeros nor controls.
/// `head` may end inside a letter.
[[nodiscard]] bool is_text(std::span<const std::byte> head);

}  // namespace wingbeat::formats
