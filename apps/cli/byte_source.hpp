// SPDX-License-Identifier: Apache-2.0
// The bytes of a file or of stdin, one after another.
#pragma once

#include <cstddef>  // byte, size_t
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "formats/files/whole_file.hpp"  // input_file

namespace wingbeat::cli {

/// A file or stdin, whose first bytes can be looked at before they are read.
class byte_source {
 public:
  /// Opens the file; "-" is stdin. Throws `file_error`.
  explicit byte_source(const std::string& name);

  [[nodiscard]] const std::string& name() const { return file_.name(); }

  /// Returns whether the name is the file's, not that of a pipe, a device or an open descriptor.
  [[nodiscard]] bool has_own_name() const { return has_own_name_; }

  /// Returns the first bytes, 2^17 of them unless the file is shorter.
  [[nodiscard]] std::span<const std::byte> head() const { return head_; }

  /// Returns the bytes of a regular file; none of a pipe.
  [[nodiscard]] std::optional<std::size_t> size() const { return file_.size(); }

  /// Fills `to`, less at the end of the file, and returns the bytes read.
  std::size_t read(std::span<std::byte> target);

 private:
  formats::input_file file_;
  bool has_own_name_;
  std::vector<std::byte> head_;
  std::size_t position_ = 0;  ///< In `head_`.
};

}  // namespace wingbeat::cli
