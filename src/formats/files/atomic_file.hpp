// SPDX-License-Identifier: Apache-2.0
// A file that appears whole or not at all: written beside its place, then renamed into it.
#pragma once

#include <sys/stat.h>  // stat

#include <cstddef>  // byte, size_t
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace wingbeat::formats {

/// Writes to `<path>.tmp-XXXXXXXX`, which `commit` renames to `path`. Without a commit, after an
/// exception or an early return, nothing is left behind and an older file is unchanged;
/// `remove_temporary_files` does the same for a program that a signal ends. A new file has the
/// permissions that the umask leaves. A file that replaces another has its mode and, if the system
/// allows it, its group and owner, but not its ACLs or extended attributes. A symbolic link is
/// followed, so the link stays and its target is replaced or created. A pipe, a device, an open
/// descriptor (by a name such as /dev/stdout) and stdout (by the name "-") are written directly:
/// the output stays, commit or not. Not for several threads at once.
class atomic_file {
 public:
  /// Opens the temporary file, the pipe or the device; opening a pipe waits for its reader.
  /// Throws `file_error`: no such directory, no permission, a directory, or a loop of links.
  explicit atomic_file(std::filesystem::path path);
  atomic_file(const atomic_file&) = delete;
  atomic_file& operator=(const atomic_file&) = delete;

  /// Removes the temporary file unless it was committed.
  ~atomic_file();

  /// Appends. Throws `file_error` if the disk is full or the write fails otherwise.
  void write(std::string_view text);
  void write(std::span<const std::byte> bytes);

  /// Writes over bytes that were appended before, from `offset` on.
  /// Throws `file_error` as `write` does, and `std::logic_error` unless `can_rewrite()`.
  void rewrite(std::size_t offset, std::span<const std::byte> bytes);

  /// Returns a descriptor of the file, for a library that writes all of it and closes it.
  [[nodiscard]] int duplicate();

  /// Returns whether bytes can still be changed: not those of a pipe, a device or a descriptor.
  [[nodiscard]] bool can_rewrite() const noexcept { return !temporary_.empty(); }

  /// Returns the file that becomes `path`, for libraries that write files by their names; empty if
  /// bytes cannot be changed.
  [[nodiscard]] const std::string& written_path() const noexcept { return temporary_; }

  /// Flushes to the disk and renames. Nothing may be written afterwards.
  void commit();

  /// Returns the path as it was given.
  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

 private:
  void open_directly(std::optional<int> descriptor);
  void open_temporary(const struct stat* old);
  void flush();
  [[noreturn]] void refuse(std::string_view action, int errno_value) const;

  std::filesystem::path path_;
  std::filesystem::path target_;  ///< path_ with symbolic links followed.
  std::string temporary_;         ///< Empty if `target_` is written directly, and once committed.
  int entry_ = -1;                ///< Of `temporary_`, in the list of temporary files.
  std::string pending_;           ///< Written by the caller, not yet by the system.
  int descriptor_ = -1;
};

/// Writes a file of this text; throws `file_error` as above.
void write_whole_file(const std::filesystem::path& path, std::string_view text);

/// Removes temporary files that a killed process left of this file; no other process may be writing
/// it.
void remove_leftovers(const std::filesystem::path& path);

/// Returns the file that is replaced or created if `path` is written: the end of its symbolic
/// links, which need not exist; `path` itself if they form a loop.
[[nodiscard]] std::filesystem::path written_file(const std::filesystem::path& path);

/// Returns whether `path` is a pipe, a device or an open descriptor, whose output cannot be
/// replaced later.
[[nodiscard]] bool is_written_directly(const std::filesystem::path& path);

}  // namespace wingbeat::formats
