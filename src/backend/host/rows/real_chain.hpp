// SPDX-License-Identifier: Apache-2.0
// Which rows of reals are transformed in stages, and in which.
#pragma once

#include <cstddef>  // size_t
#include <limits>   // numeric_limits

#include "backend/host/kernels.hpp"  // chain

namespace wingbeat::backend::host {

/// N = B R1 R2 ..; see lanes/real_stages.hpp.
struct real_chain {
  std::size_t matrix_length = 0;  ///< B; 0: there are no stages, or one matrix is quicker.
  chain stages;                   ///< Radices R1, R2, .. of N points.
  double cost = std::numeric_limits<double>::infinity();  ///< In vector instructions.
};

/// Returns the cheapest in vectors of `width`. Rows of even length have none: halves of them as
/// complex numbers are quicker.
[[nodiscard]] real_chain real_chain_of(std::size_t length, std::size_t width);

}  // namespace wingbeat::backend::host
