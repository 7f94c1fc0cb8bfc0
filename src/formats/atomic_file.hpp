// SPDX-License-Identifier: Apache-2.0
// A file that appears whole or not at all: written beside its place, then renamed into it.
#pragma once

#include <cstddef>  // byte
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace wingbeat::formats {

/// Writes to `<path>.tmp-XXXXXXXX` and gives it its name on `commit`. Without a commit, whether
/// by an exception or an early return, nothing is left behind and an older file stays as it was.
/// A symbolic link is followed, so the link survives. Not for several threads at once.
class atomic_file {
 public:
  /// Opens the temporary file, with the permissions that the umask leaves.
  /// Throws `file_error`: no such directory, no permission, or `path` exists and is not a
  /// regular file.
  explicit atomic_file(std::filesystem::path path);
  atomic_file(const atomic_file&) = delete;
  atomic_file& operator=(const atomic_file&) = delete;

  /// Removes the temporary file unless it was committed.
  ~atomic_file();

  /// Appends. Throws `file_error` when the disk is full or the write fails otherwise.
  void write(std::string_view text);
  void write(std::span<const std::byte> bytes);

  /// Flushes to the disk and renames. Nothing may be written afterwards.
  void commit();

  /// Returns the path as it was given.
  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

 private:
  void flush();
  [[noreturn]] void refuse(std::string_view what, int errno_value) const;

  std::filesystem::path path_;
  std::filesystem::path target_;  ///< path_ with symbolic links followed.
  std::string temporary_;
  std::string pending_;  ///< Written by the caller, not yet by the system.
  int descriptor_ = -1;
};

}  // namespace wingbeat::formats
