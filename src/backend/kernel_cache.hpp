// SPDX-License-Identifier: Apache-2.0
// Compiled kernels on disk. A damaged or hostile cache costs a compilation, never a wrong kernel.
#pragma once

#include <filesystem>
#include <memory>  // shared_ptr
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace wingbeat::backend {

/// Everything a compiled kernel depends on; two keys are equal only if all of it is.
struct kernel_key {
  std::string source;        ///< The flattened text.
  std::string options;       ///< Compiler options, in order.
  std::string compiler;      ///< "nvrtc 13.0", "clang 15.0.6"
  std::string driver;        ///< Driver or platform version.
  std::string architecture;  ///< Exact: "sm_90", the OpenCL device's name.
};

/// $WINGBEAT_CACHE names the directory, or is "off"; otherwise $XDG_CACHE_HOME/wingbeat, or
/// ~/.cache/wingbeat. The directory is made with mode 0700 and refused (memory only, one warning
/// on stderr per process) when it is a symbolic link, not ours, or writable by others.
class kernel_cache {
 public:
  /// Returns the process-wide cache, its directory read from the environment once.
  static kernel_cache& shared();

  /// An explicit directory, for tests. Empty: memory only.
  explicit kernel_cache(std::filesystem::path directory);

  /// Returns the stored binary, or nothing: absent, truncated, altered, or of another key.
  [[nodiscard]] std::optional<std::vector<char>> find(const kernel_key& key);

  /// Stores a binary: temporary file, fsync, rename. A full disk or a read-only directory leaves
  /// the entry in memory.
  void store(const kernel_key& key, const std::vector<char>& binary);

  /// Returns the directory in use; empty when in memory only.
  [[nodiscard]] const std::filesystem::path& directory() const noexcept { return directory_; }

 private:
  std::filesystem::path directory_;
  struct memory;
  std::shared_ptr<memory> memory_;
};

}  // namespace wingbeat::backend
