// SPDX-License-Identifier: Apache-2.0
// Sample j of a radix-2 transform starts at the place whose bits are those of j, reversed:
//     N = 8:   0 1 2 3 4 5 6 7   ->   0 4 2 6 1 5 3 7
#pragma once

#include <cstddef>  // size_t
#include <utility>  // swap

#include "reference/root_of_unity.hpp"  // row

namespace wingbeat::reference {

/// Moves each x[j] to the bit-reversed place, swapping pairs. x is a power of two long.
template <class Real>
void reverse_bits(row<Real>& x) {
  std::size_t reversed = 0;
  for (std::size_t j = 0; j < x.size(); ++j) {
    if (j < reversed) std::swap(x[j], x[reversed]);
    // Counts up with the carry running from the highest bit down.
    std::size_t bit = x.size() / 2;
    while (bit != 0 && (reversed & bit) != 0) {
      reversed ^= bit;
      bit /= 2;
    }
    reversed |= bit;
  }
}

}  // namespace wingbeat::reference
