// SPDX-License-Identifier: Apache-2.0
// A directory that only this user can change, held open so that nobody can swap it later.
#pragma once

#include <cstddef>  // size_t
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "system/file_descriptor.hpp"  // file_descriptor

namespace wingbeat::backend {

/// Reads and replaces small files of one directory. Whole files only: a reader sees the old text or
/// the new text, even if the writer is killed.
class private_directory {
 public:
  /// Makes `directory` with mode 0700 if it does not exist, and its parents. Throws `file_error` if
  /// it cannot be made, is a symbolic link, belongs to another user, or is writable by others.
  explicit private_directory(const std::filesystem::path& directory);

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

  /// Returns a file's bytes and marks it as used now; nothing if it is absent, unreadable, not a
  /// regular file, of another user, or longer than `max_bytes`.
  [[nodiscard]] std::optional<std::vector<char>> read(const std::string& name,
                                                      std::size_t max_bytes) const;

  /// Replaces a file: temporary file, fsync, rename. Throws `file_error` and leaves no temporary
  /// file.
  void write(const std::string& name, std::span<const char> bytes) const;

  void remove(const std::string& name) const noexcept;

  /// Removes the longest unused files whose names `is_entry` accepts until the rest fits in
  /// `capacity_bytes`, and temporary files that a killed process left an hour ago or earlier. Only
  /// touches regular files of this user.
  void tidy(bool (*is_entry)(std::string_view name), std::size_t capacity_bytes) const;

 private:
  std::filesystem::path path_;
  file_descriptor directory_;
};

}  // namespace wingbeat::backend
