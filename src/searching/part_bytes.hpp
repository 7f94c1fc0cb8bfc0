// SPDX-License-Identifier: Apache-2.0
// Parts of a search as bytes, for files and for other processes. They end with a checksum.
#pragma once

#include <cstddef>  // byte
#include <functional>
#include <optional>
#include <span>

#include "searching/part.hpp"  // search_part

namespace wingbeat::searching {

/// Gives `write` all bytes of a part, piece by piece.
void write_part(const search_part& part,
                const std::function<void(std::span<const std::byte>)>& write);

/// Returns the part that bytes are; nothing for bytes that are no part, or no longer as they were.
[[nodiscard]] std::optional<search_part> read_part(std::span<const std::byte> bytes);

}  // namespace wingbeat::searching
