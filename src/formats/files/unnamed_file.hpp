// SPDX-License-Identifier: Apache-2.0
// Temporary files without a name, for content that a library reads from files alone.
#pragma once

#include <cstdio>  // FILE
#include <functional>
#include <memory>  // unique_ptr
#include <string>

#include "formats/files/byte_source.hpp"  // byte_source

namespace wingbeat::formats {

/// Returns what `write` writes to a temporary file; `name` is for messages. Throws `file_error`
/// where the file cannot be made or has no room.
[[nodiscard]] std::unique_ptr<byte_source> unnamed_file(
    const std::string& name, const std::function<void(std::FILE*)>& write);

}  // namespace wingbeat::formats
