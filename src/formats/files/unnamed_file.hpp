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

/// The bytes of a source, which must outlive it, for a library that opens a file by its path. Those
/// in memory become a temporary file. Throws as above.
class source_path {
 public:
  explicit source_path(const byte_source& source);

  [[nodiscard]] std::string path() const { return (copy_ ? *copy_ : source_).path(); }

 private:
  const byte_source& source_;
  std::unique_ptr<byte_source> copy_;
};

}  // namespace wingbeat::formats
