// SPDX-License-Identifier: Apache-2.0
// A kind of transform from reals to reals, as the matrix that defines it.
#pragma once

#include <cstddef>  // size_t
#include <vector>

#include "request/traits.hpp"  // traits

namespace wingbeat::request {

/// A transform of n reals to n reals as a matrix. A sine transform of half steps is a cosine
/// transform with signs and reversal. Its terms are added in that cosine transform's order, so that
/// both have the same bits.
struct matrix_of_reals {
  matrix_of_reals(const traits& kind, std::size_t n, bool orthogonalizes, long double scale);

  std::vector<std::size_t> terms;    ///< The sample of each term.
  std::vector<long double> factors;  ///< [k][term]
};

}  // namespace wingbeat::request
