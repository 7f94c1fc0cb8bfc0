// SPDX-License-Identifier: Apache-2.0
// Where the parts of a TIFF lie, read from its bytes: what libtiff skips is seen here, too.
#pragma once

#include <cstddef>  // size_t
#include <cstdint>  // uint16_t, uint64_t
#include <set>
#include <string>
#include <vector>

#include "formats/files/byte_source.hpp"  // byte_source

namespace wingbeat::formats {

/// An entry of a directory: a tag, and where its values lie.
struct tiff_entry {
  std::uint16_t tag, type;
  std::uint64_t n_values, n_bytes;
  std::uint64_t offset;  ///< Offset in the file.
};

struct tiff_directory {
  std::vector<tiff_entry> entries;
  std::uint64_t next;  ///< The directory behind it; 0: none.
};

/// Reads directories; what lies beyond the end of the file is no entry and no value.
class tiff_layout {
 public:
  explicit tiff_layout(const byte_source& content);

  [[nodiscard]] tiff_directory directory(std::uint64_t offset) const;

  /// Returns the values of an entry of whole numbers; of other types none.
  [[nodiscard]] std::vector<std::uint64_t> numbers(const tiff_entry& entry) const;

  /// Returns the bytes of an entry, up to `most`.
  [[nodiscard]] std::string text(const tiff_entry& entry, std::size_t most) const;

  /// Returns where anything begins that directories name: blocks, values and directories.
  [[nodiscard]] std::set<std::uint64_t> named_offsets() const;

 private:
  [[nodiscard]] std::uint64_t number_at(std::uint64_t offset, std::size_t n_bytes) const;

  const byte_source& content_;
  bool is_big_endian_, is_big_;  ///< Is of 64-bit offsets.
};

}  // namespace wingbeat::formats
