// SPDX-License-Identifier: Apache-2.0
// The bytes of a file or of stdin, one after another.
#pragma once

#include <cstddef>  // byte, size_t
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace wingbeat::cli {

/// A file or stdin, whose first bytes can be looked at before they are read.
class byte_source {
 public:
  /// Opens the file; "-" is stdin. Throws `file_error`.
  explicit byte_source(std::string name);
  byte_source(const byte_source&) = delete;
  byte_source& operator=(const byte_source&) = delete;
  ~byte_source();

  [[nodiscard]] const std::string& name() const { return name_; }

  /// Returns whether the name is the file's, not that of a pipe, a device or an open descriptor.
  [[nodiscard]] bool has_own_name() const { return has_own_name_; }

  /// Returns the first bytes, 2^17 of them unless the file is shorter.
  [[nodiscard]] std::span<const std::byte> head() const { return head_; }

  /// Returns the bytes of a regular file; none of a pipe.
  [[nodiscard]] std::optional<std::size_t> size() const { return size_; }

  /// Fills `to`, less at the end of the file, and returns the bytes read.
  std::size_t read(std::span<std::byte> target);

 private:
  std::string name_;
  bool has_own_name_ = true;
  int descriptor_ = -1;
  std::vector<std::byte> head_;
  std::size_t position_ = 0;  ///< In `head_`.
  std::optional<std::size_t> size_;
};

}  // namespace wingbeat::cli
