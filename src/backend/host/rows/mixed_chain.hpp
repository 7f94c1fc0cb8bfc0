// SPDX-License-Identifier: Apache-2.0
// Lengths that are no powers of two, split into Stockham stages, matrices or transposed rows, and
// their costs.
#pragma once

#include <cstddef>  // size_t
#include <limits>   // numeric_limits

#include "backend/host/kernels.hpp"  // chain

namespace wingbeat::backend::host {

/// Returns whether a length is a product of 2 to 13 and of a few larger primes, which cost less by
/// the definition than a chirp.
[[nodiscard]] bool has_radices(std::size_t length);

/// Splits such a length into the radices that cost least together.
[[nodiscard]] chain mixed_chain(std::size_t length);

/// Returns what its stages cost for each point, in vector instructions.
[[nodiscard]] double chain_cost(std::size_t length);

// Costs of rows are counted in vector instructions of 32 bytes; `number_bytes` are those of a real.

/// A length that has radices as columns times rows.
struct matrix_shape {
  chain columns;
  chain rows;
  double cost = std::numeric_limits<double>::infinity();
};

/// Returns the matrix whose strips of `width` cost least, counting unused lanes. It has at least
/// `width` columns, and no side is longer than `limits.longest_matrix_side`, or than that of the
/// squarest matrix. If there is none, the cost is infinite.
[[nodiscard]] matrix_shape matrix_shape_of(std::size_t length, std::size_t width,
                                           std::size_t number_bytes);

/// A row whose first stage's bins are transposed to lanes of `width` for the other stages.
struct transposed_chain {
  chain factors;
  std::size_t width = 0;
  double cost = std::numeric_limits<double>::infinity();
};

/// Returns the cheapest in vectors of `width`, of half or of a quarter of it. After the first stage
/// there are at least as many points as lanes. If there is none, the cost is infinite.
[[nodiscard]] transposed_chain transposed_chain_of(std::size_t length, std::size_t width,
                                                   std::size_t number_bytes);

/// Returns the cost of one row of such a length.
[[nodiscard]] double row_cost(std::size_t length, std::size_t width, std::size_t number_bytes);

/// Returns whether one row of such a length costs less by its radices than by a chirp: in rows with
/// few points in each lane it may not.
[[nodiscard]] bool has_radices(std::size_t length, std::size_t width, std::size_t number_bytes);

/// Returns the cost of `width` rows of these factors, one in each lane, with their moves from
/// memory and back.
[[nodiscard]] double strip_cost(const chain& factors, std::size_t width, std::size_t number_bytes);

/// Returns the same for rows of `length` that are convolved with a chirp within `padded` points.
[[nodiscard]] double chirped_strip_cost(std::size_t length, const chain& padded, std::size_t width,
                                        std::size_t number_bytes);

}  // namespace wingbeat::backend::host
