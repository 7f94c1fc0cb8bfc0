// SPDX-License-Identifier: Apache-2.0
// The header of a .npy file: {'descr': '<c8', 'fortran_order': False, 'shape': (4, 1024), }
#pragma once

#include <cstddef>  // byte, size_t
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/images/samples.hpp"  // number_type

namespace wingbeat::formats {

struct npy_header {
  std::string descr;  ///< NumPy's name of the sample type: "<f4".
  bool is_fortran_order = false;
  std::vector<std::size_t> shape;  ///< Slowest axis first in C order.
};

/// Parses the dictionary and nothing else that Python would accept: three keys, each once, a
/// string without escapes, a bool and a tuple of integers.
/// Throws `file_error` naming `name`.
[[nodiscard]] npy_header parse_npy_header(std::string_view text, std::string_view name);

/// Parses the magic, the version, the length and the dictionary at the head of a file, and takes
/// them off `content`, of which the samples remain. Throws `file_error` naming `name`.
[[nodiscard]] npy_header take_npy_header(std::span<const std::byte>& content,
                                         std::string_view name);

/// Returns the type of real numbers, bool among them, that a `descr` has behind its byte order.
[[nodiscard]] std::optional<number_type> npy_number_type(std::string_view kind);

/// Returns the header of version 1.0 in C order, padded with blanks so that the samples start at a
/// multiple of 64 bytes, as NumPy does.
[[nodiscard]] std::string npy_prefix(std::string_view descr, const std::vector<std::size_t>& shape);

}  // namespace wingbeat::formats
