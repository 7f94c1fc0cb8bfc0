// SPDX-License-Identifier: Apache-2.0
// Arithmetic on indices of power-of-two transforms.
#pragma once

#include "wingbeat/device/port.hpp"  // WINGBEAT_FN

namespace wingbeat::device {

WINGBEAT_FN constexpr bool is_power_of_two(size n) {
  return n != 0 && (n & (n - 1)) == 0;
}

/// Returns floor(log2 n), n > 0.
WINGBEAT_FN constexpr unsigned log2_of(size n) {
  unsigned bits = 0;
  while (n > 1) {
    n >>= 1;
    ++bits;
  }
  return bits;
}

template <class Integer>
WINGBEAT_FN constexpr Integer minimum(Integer a, Integer b) {
  return b < a ? b : a;
}

template <class Integer>
WINGBEAT_FN constexpr Integer maximum(Integer a, Integer b) {
  return a < b ? b : a;
}

/// Returns the index of -f in a transform of length n (a power of two): 0 stays 0.
WINGBEAT_FN constexpr unsigned mirror(unsigned f, unsigned n) {
  return (n - f) & (n - 1);
}

/// How a transform of `length` splits into Stockham stages of radix at most `max_radix`:
/// the first stage takes the largest radix, the others share the rest evenly, larger first.
/// A first radix as wide as the banks, counted in entries, keeps every exchange free of conflicts.
/// Usable as a constant in a kernel and at run time by the host that fills its tables.
struct stages {
  unsigned length;
  unsigned max_radix;

  WINGBEAT_FN constexpr unsigned first_bits() const {
    return minimum(log2_of(length), log2_of(max_radix));
  }
  WINGBEAT_FN constexpr unsigned other_bits() const { return log2_of(length) - first_bits(); }
  WINGBEAT_FN constexpr unsigned others() const {
    const unsigned most = log2_of(max_radix);
    return other_bits() == 0 ? 0 : (other_bits() + most - 1) / most;
  }
  WINGBEAT_FN constexpr unsigned count() const { return length == 1 ? 0 : 1 + others(); }

  WINGBEAT_FN constexpr unsigned radix(unsigned stage) const {
    if (stage == 0) return 1u << first_bits();
    if (others() == 0) return 1;
    return 1u << (other_bits() / others() + (stage - 1 < other_bits() % others() ? 1 : 0));
  }

  /// Returns the length transformed before a stage: the product of the earlier radices.
  WINGBEAT_FN constexpr unsigned prior(unsigned stage) const {
    unsigned product = 1;
    for (unsigned s = 0; s < stage; ++s) product *= radix(s);
    return product;
  }
};

}  // namespace wingbeat::device
