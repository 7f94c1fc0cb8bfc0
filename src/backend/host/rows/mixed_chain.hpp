// SPDX-License-Identifier: Apache-2.0
// Lengths that are no powers of two as chains of Stockham stages, and as matrices.
#pragma once

#include <cstddef>  // size_t

#include "backend/host/kernels.hpp"  // chain

namespace wingbeat::backend::host {

/// Splits a good length into the radices that cost least together.
[[nodiscard]] chain mixed_chain(std::size_t length);

/// A good length as columns times rows.
struct matrix_shape {
  chain columns;
  chain rows;
};

/// Returns the matrix whose strips of `width` cost least, counting the lanes that are not used. It
/// has at least `width` columns, and no side is longer than `limits.longest_matrix_side`, or than
/// that of the squarest matrix. `length` is a product of two good lengths, at least width * width.
[[nodiscard]] matrix_shape matrix_shape_of(std::size_t length, std::size_t width);

}  // namespace wingbeat::backend::host
