// SPDX-License-Identifier: Apache-2.0
// Arithmetic on indices: mirror images, and the bits of indices below powers of two.
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

/// Returns an index as an entry of a table of reals: as the bits of a float, which need no
/// conversion, or as the value of a double.
template <class Real>
WINGBEAT_FN constexpr Real real_of_index(unsigned i) {
  if constexpr (sizeof(Real) == sizeof(unsigned)) return __builtin_bit_cast(Real, i);
  return static_cast<Real>(i);
}
template <class Real>
WINGBEAT_FN constexpr unsigned index_of_real(Real x) {
  if constexpr (sizeof(Real) == sizeof(unsigned)) return __builtin_bit_cast(unsigned, x);
  return static_cast<unsigned>(x);
}

/// Returns i / Divisor, i < Limit, by a product and a shift if 32 bits suffice. (Compilers ignore
/// the limit, or divide in 16 bits; powers of two are left to them.)
template <unsigned Divisor, unsigned Limit>
WINGBEAT_FN constexpr unsigned quotient(unsigned i) {
  if ((Divisor & (Divisor - 1)) == 0) return i / Divisor;
  for (unsigned bits = 8; bits < 32; ++bits) {
    const unsigned factor = (1u << bits) / Divisor + 1, excess = factor * Divisor - (1u << bits);
    const bool is_exact = size(Limit) * excess <= (size{1} << bits);
    if (is_exact && size(Limit) * factor < (size{1} << 32)) return i * factor >> bits;
  }
  return i / Divisor;
}

/// Tells the compiler what is true of an index.
WINGBEAT_FN void assume(bool is_true) {
  if (!is_true) __builtin_unreachable();
}

/// Returns the index of -f in a transform of length n, f < n: 0 stays 0.
WINGBEAT_FN constexpr unsigned mirror(unsigned f, unsigned n) {
  return f == 0 ? 0 : n - f;
}

/// Returns ceil(log2 n), n > 0: the logarithm of the least power of two that holds n.
WINGBEAT_FN constexpr unsigned log2_rounded_up(size n) {
  return n > 1 ? log2_of(n - 1) + 1 : 0;
}

/// Returns the lowest `n_bits` bits of x in opposite order, n_bits <= 32: 0b0011 -> 0b1100 of 4.
WINGBEAT_FN constexpr unsigned bits_reversed(unsigned x, unsigned n_bits) {
  x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
  x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
  x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
  x = (x >> 8 & 0x00ff00ffu) | (x & 0x00ff00ffu) << 8;
  x = x >> 16 | x << 16;
  return n_bits == 0 ? 0 : x >> (32 - n_bits);
}

/// Returns x with all bits below its highest set bit flipped; 0 stays 0. In a list in bit-reversed
/// order this is `mirror`: it maps the place of f to that of -f, because -f keeps the bits of f up
/// to its lowest set one and flips those above.
WINGBEAT_FN constexpr unsigned reversed_mirror(unsigned x) {
  unsigned ones = x | x >> 1;  // 0b00101000 -> 0b00111111, doubling the run of ones
  ones |= ones >> 2;
  ones |= ones >> 4;
  ones |= ones >> 8;
  ones |= ones >> 16;
  return x ^ ones >> 1;
}

/// `Paired` of N items k with their mirror images -k. Numbers u < Paired are the items, the others
/// their images. Item 0 is its own image; N/2, which also is its own image, takes that place. If N
/// is odd, the place is empty.
template <unsigned N, unsigned Paired>
struct mirrored {
  /// Returns the item k of number u; number 0 is item `first`.
  WINGBEAT_FN static constexpr unsigned item(unsigned first, unsigned u) {
    const unsigned k = first + u % Paired;
    if (u < Paired) return k;
    return k == 0 ? N / 2 : N - k;
  }
  /// Returns the number of the mirror image of item k, whose number is u.
  WINGBEAT_FN static constexpr unsigned opposite(unsigned k, unsigned u) {
    if (k == 0 || 2 * k == N) return u;
    return u < Paired ? u + Paired : u - Paired;
  }
};

}  // namespace wingbeat::device
