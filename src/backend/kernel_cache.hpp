// SPDX-License-Identifier: Apache-2.0
// Compiled kernels on disk. A damaged or hostile cache costs a compilation, never a wrong kernel.
#pragma once

#include <cstddef>  // size_t
#include <filesystem>
#include <memory>  // unique_ptr
#include <optional>
#include <string>
#include <vector>

namespace wingbeat::backend {

/// Everything a compiled kernel depends on; two keys are equal only if all fields are. The cache
/// adds wingbeat's version.
struct kernel_key {
  std::string source;        ///< Identifies the text; empty: not cached.
  std::string options;       ///< Compiler options, in order.
  std::string compiler;      ///< "nvrtc 13.0", "clang 15.0.6"
  std::string driver;        ///< Driver or platform version.
  std::string architecture;  ///< Exact: "sm_90", the OpenCL device's name.
};

/// Finds and stores binaries, in memory and in one directory. Many threads and many processes may
/// use the same directory at once.
class kernel_cache {
 public:
  static constexpr std::size_t default_capacity_bytes = std::size_t{256} << 20;

  /// Returns the process-wide cache. The environment, read once, names its directory:
  /// $WINGBEAT_CACHE, or "off" (memory only); otherwise $XDG_CACHE_HOME/wingbeat, or
  /// ~/.cache/wingbeat. If it is refused, one warning on stderr has the reason.
  static kernel_cache& shared();

  /// Uses `directory`, made with mode 0700; empty: memory only. The directory is refused, and the
  /// cache kept in memory only, if it cannot be made, is a symbolic link, belongs to another user,
  /// or is writable by others. The longest unused entries are removed while all entries together
  /// exceed `capacity_bytes`.
  explicit kernel_cache(const std::filesystem::path& directory,
                        std::size_t capacity_bytes = default_capacity_bytes);
  ~kernel_cache();

  /// Returns the stored binary, or nothing: absent, truncated, altered, or of another key.
  [[nodiscard]] std::optional<std::vector<char>> find(const kernel_key& key);

  /// Stores a binary: temporary file, fsync, rename. With a full disk or a read-only directory, the
  /// entry stays in memory.
  void store(const kernel_key& key, const std::vector<char>& binary);

  /// The right to make an entry: other threads that need it wait, and then find it.
  class turn {
   public:
    turn(kernel_cache& cache, const kernel_key& key);
    turn(const turn&) = delete;
    turn& operator=(const turn&) = delete;
    ~turn();

    /// Returns whether this thread waited for another that had the right.
    [[nodiscard]] bool has_waited() const noexcept { return has_waited_; }

   private:
    kernel_cache& cache_;
    std::string made_;  ///< Empty if not cached.
    bool has_waited_ = false;
  };

  /// While set, `find` returns nothing, so that compiling can be timed; `store` still stores.
  void ignore_entries(bool is_ignoring) noexcept;

  /// Returns the directory in use; empty if in memory only.
  [[nodiscard]] const std::filesystem::path& directory() const noexcept;

  /// Returns why the directory is not used, in one sentence; empty if it is used, or none was
  /// given.
  [[nodiscard]] const std::string& refusal() const noexcept;

 private:
  struct impl;
  std::unique_ptr<impl> impl_;
};

}  // namespace wingbeat::backend
