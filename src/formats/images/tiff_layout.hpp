// SPDX-License-Identifier: Apache-2.0
// Where the parts of a TIFF lie, read from its bytes: what libtiff skips is seen here, too.
#pragma once

#include <bit>      // endian
#include <cstddef>  // size_t
#include <cstdint>  // uint16_t, uint64_t
#include <functional>
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
  std::uint64_t next;     ///< The directory behind it; 0: none.
  std::uint64_t n_bytes;  ///< Of all of it.
};

using number_sink = std::function<void(std::uint64_t)>;

/// Reads directories; what lies beyond the end of the file is no entry and no value.
class tiff_layout {
 public:
  explicit tiff_layout(const byte_source& content);

  [[nodiscard]] tiff_directory directory(std::uint64_t offset) const;

  /// Gives the values of an entry of whole numbers; of other types none.
  void give_numbers(const tiff_entry& entry, const number_sink& take) const;

  /// Returns the bytes of an entry, up to `most`.
  [[nodiscard]] std::string text(const tiff_entry& entry, std::size_t most) const;

  /// Gives where anything begins that directories name: blocks, values and directories. What is
  /// read for it has at most the file's bytes in all, because parts of a sound file do not overlap;
  /// the rest is left out.
  void give_named_offsets(const number_sink& take) const;

 private:
  [[nodiscard]] std::uint64_t number_at(std::uint64_t offset, std::size_t n_bytes) const;

  const byte_source& content_;
  std::endian order_ = std::endian::little;
  bool is_big_ = false;  ///< Is of 64-bit offsets.
};

}  // namespace wingbeat::formats
