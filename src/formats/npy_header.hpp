// SPDX-License-Identifier: Apache-2.0
// The header of a .npy file: {'descr': '<c8', 'fortran_order': False, 'shape': (4, 1024), }
#pragma once

#include <cstddef>  // size_t
#include <string>
#include <string_view>
#include <vector>

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

}  // namespace wingbeat::formats
