// SPDX-License-Identifier: Apache-2.0
// The header of a .npy file: {'descr': '<c8', 'fortran_order': False, 'shape': (4, 1024), }
#pragma once

#include <bit>      // endian
#include <cstddef>  // byte, size_t
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>  // pair
#include <vector>

#include "formats/files/byte_source.hpp"  // byte_source
#include "formats/files/number_type.hpp"  // number_type

namespace wingbeat::formats {

struct npy_header {
  std::string descr;  ///< NumPy's name of the sample type: "<f4".
  bool is_fortran_order = false;
  std::vector<std::size_t> shape;  ///< Slowest axis first in C order.
};

/// Parses the magic, the version, the length and the dictionary at the head of a file, and removes
/// them from `content`, which leaves the samples. Throws `file_error` naming `name`.
[[nodiscard]] npy_header take_npy_header(std::span<const std::byte>& content,
                                         std::string_view name);

/// Parses the header of a file, and returns the offset of the samples, too. Throws as above.
[[nodiscard]] std::pair<npy_header, std::size_t> read_npy_header(const byte_source& source);

/// The type of samples: numbers, or pairs of them.
struct npy_type {
  number_type part;  ///< Type of a real number, or of each part of a complex one.
  std::endian order;
  bool is_complex;

  [[nodiscard]] std::size_t sample_bytes() const { return (is_complex ? 2u : 1u) * bytes_of(part); }
};

/// Returns the type of a `descr`: "<f4", or "|b1" for numbers of one byte; nothing for others.
[[nodiscard]] std::optional<npy_type> npy_type_of(std::string_view descr);

/// Checks the sizes of a header against the available bytes, so that nothing is allocated for a
/// false header. Throws `file_error` naming `name` unless they hold `n_rows` times `row_length`
/// samples.
void require_npy_samples(std::size_t n_rows, std::size_t row_length, const npy_type& type,
                         std::size_t n_bytes, std::string_view name);

/// Returns the header of version 1.0 in C order, padded with blanks so that the samples start at a
/// multiple of 64 bytes, as NumPy does.
[[nodiscard]] std::string npy_prefix(std::string_view descr, const std::vector<std::size_t>& shape);

}  // namespace wingbeat::formats
