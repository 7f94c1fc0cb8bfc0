// SPDX-License-Identifier: Apache-2.0
// Files read from their beginning on, and whole ones in memory.
#pragma once

#include <cstddef>  // byte, size_t
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace wingbeat::formats {

/// The default limit of a read file, 2^32 bytes, so that an endless device does not fill the
/// memory.
inline constexpr std::size_t largest_file_bytes = std::size_t{1} << 32;

/// Returns the file's name for messages, "stdin" for "-".
[[nodiscard]] std::string shown_name(const std::filesystem::path& file);

/// A file that is read from its beginning on, or a pipe; "-" is stdin.
class input_file {
 public:
  /// Throws `file_error`: missing, a directory, not readable; messages name the `content` to give.
  explicit input_file(const std::filesystem::path& file, std::string_view content = "samples");
  input_file(const input_file&) = delete;
  input_file& operator=(const input_file&) = delete;
  ~input_file();

  [[nodiscard]] const std::string& name() const { return name_; }

  /// Returns the bytes of a regular file; none of a pipe.
  [[nodiscard]] std::optional<std::size_t> size() const { return size_; }

  /// Fills `target`, less at the end of the file, and returns the bytes read.
  std::size_t read(std::span<std::byte> target);

 private:
  std::string name_;
  int descriptor_;
  std::optional<std::size_t> size_;
};

/// Returns all bytes of the file, or of a pipe up to its end; "-" is stdin.
/// Throws `file_error`: missing, a directory, not readable, empty, or larger than `limit_bytes`;
/// messages name the `content` to give.
[[nodiscard]] std::vector<std::byte> read_whole_file(const std::filesystem::path& file,
                                                     std::size_t limit_bytes = largest_file_bytes,
                                                     std::string_view content = "samples");

}  // namespace wingbeat::formats
