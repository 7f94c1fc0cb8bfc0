// SPDX-License-Identifier: Apache-2.0
// A kind of transforms from reals to reals as the matrix that defines it.
#pragma once

#include <cstddef>  // size_t
#include <vector>

#include "request/traits.hpp"  // traits

namespace wingbeat::request {

/// A transform of n reals to n as a matrix. A sine transform of half steps adds the terms of the
/// cosine transform of which signs and reversal make it, in their order, so that both have the same
/// bits.
struct matrix_of_reals {
  matrix_of_reals(const traits& kind, std::size_t n, bool orthogonalizes, long double scale);

  std::vector<std::size_t> terms;    ///< Which sample each term has.
  std::vector<long double> factors;  ///< [k][term]
};

}  // namespace wingbeat::request
