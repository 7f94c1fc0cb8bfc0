// SPDX-License-Identifier: Apache-2.0
// A length as a list of radices, N = R0 R1 .. Rm, and numbers below N as digits to these radices.
// Usable as constants in a kernel and at run time by the host.
#pragma once

#include "wingbeat/device/index.hpp"  // is_power_of_two, bits_reversed, log2_of, maximum, minimum
#include "wingbeat/device/port.hpp"   // WINGBEAT_FN, size

namespace wingbeat::device {

/// Returns whether stages may have this radix, because thread/dft.hpp has a DFT of that length.
WINGBEAT_FN constexpr bool is_radix(unsigned r) {
  constexpr unsigned primes = 1u << 17 | 1u << 19 | 1u << 23 | 1u << 29 | 1u << 31;
  constexpr unsigned larger =
      primes | 1u << 18 | 1u << 20 | 1u << 24 | 1u << 25 | 1u << 27 | 1u << 30;
  return r > 1 && (r <= 16 || is_power_of_two(r) || (r < 32 && (larger >> r & 1u) != 0));
}

inline constexpr unsigned largest_prime_radix = 31;

/// Returns whether n > 0 is a product of radices: of primes up to `largest_prime_radix`.
WINGBEAT_FN constexpr bool is_product_of_radices(size n) {
  if (n == 0) return false;
  for (unsigned prime = 2; prime <= largest_prime_radix; ++prime) {
    while (n % prime == 0) n /= prime;
  }
  return n == 1;
}

/// Returns the least prime factor of n > 1, and 1 of 1.
WINGBEAT_FN constexpr unsigned least_factor(unsigned n) {
  unsigned factor = minimum(n, 2u);
  while (n % factor != 0) ++factor;
  return factor;
}

/// Returns the greatest prime factor of n > 1, and 1 of 1.
WINGBEAT_FN constexpr unsigned greatest_factor(unsigned n) {
  unsigned factor = 1;
  for (; n > 1; n /= factor) factor = least_factor(n);
  return factor;
}

/// Radices in the order of their stages. The first has the most significant digit.
struct radix_list {
  static constexpr unsigned capacity = 32;  ///< Enough for every length below 2^32.
  unsigned count = 0;
  unsigned radices[capacity] = {};

  WINGBEAT_FN constexpr void add(unsigned radix) {
    radices[count] = radix;
    ++count;
  }
  /// Adds the fewest radices of at most `largest` whose product is n: as even as possible, larger
  /// ones first; if `whole` is not 0, only divisors of it. An n that is no such product becomes one
  /// entry, so that the product is n in any case.
  WINGBEAT_FN constexpr void add_evenly(unsigned n, unsigned largest, unsigned whole = 0) {
    const unsigned most = maximum(largest, 2u);
    unsigned left = 0;
    for (size reach = 1; reach < n; reach *= most) ++left;
    for (; left <= log2_of(maximum(n, 1u)); ++left) {
      if (add_exactly(n, left, most, whole)) return;
    }
    if (n > 1) add(n);
  }
  /// Adds `left` radices of at most `largest` whose product is n: in falling order, the first as
  /// small as possible. If there are none, adds nothing and returns false.
  WINGBEAT_FN constexpr bool add_exactly(unsigned n, unsigned left, unsigned largest,
                                         unsigned whole = 0) {
    if (left == 0) return n == 1;
    for (unsigned radix = 2; radix <= minimum(n, largest); ++radix) {
      if (!is_radix(radix) || n % radix != 0 || whole % radix != 0) continue;
      if (power(radix, left) < n) continue;
      add(radix);
      if (add_exactly(n / radix, left - 1, radix, whole)) return true;
      --count;
    }
    return false;
  }

  /// Returns the product of the radices before radix i: the length transformed before that stage.
  WINGBEAT_FN constexpr unsigned prior(unsigned i) const { return product_of(0, i); }
  /// Returns the product of the radices behind radix i: the place value of its digit.
  WINGBEAT_FN constexpr unsigned place_value(unsigned i) const { return product_of(i + 1, count); }
  WINGBEAT_FN constexpr unsigned product() const { return product_of(0, count); }

  WINGBEAT_FN static constexpr size power(size base, unsigned exponent) {
    size product = 1;
    for (unsigned i = 0; i < exponent; ++i) product *= base;
    return product;
  }

 private:
  WINGBEAT_FN constexpr unsigned product_of(unsigned begin, unsigned end) const {
    unsigned product = 1;
    for (unsigned i = begin; i < end; ++i) product *= radices[i];
    return product;
  }
};

/// Returns the prime factors of n > 0, the smallest first.
WINGBEAT_FN constexpr radix_list prime_factors(unsigned n) {
  radix_list primes;
  for (unsigned p = 2; n > 1; ++p) {
    for (; n % p == 0; n /= p) primes.add(p);
  }
  return primes;
}

/// Returns x, which is less than the list's product, with its digits in opposite order:
///     sum of digit_i place_value(i)   ->   sum of digit_i prior(i)
/// The list in opposite order inverts it.
WINGBEAT_FN constexpr unsigned digits_reversed(unsigned x, radix_list radices) {
  unsigned reversed = 0;
  for (unsigned i = 0; i < radices.count; ++i) {
    reversed += x / radices.place_value(i) % radices.radices[i] * radices.prior(i);
  }
  return reversed;
}

/// Returns the list in opposite order.
WINGBEAT_FN constexpr radix_list opposite(radix_list radices) {
  radix_list result;
  for (unsigned i = radices.count; i > 0; --i) result.add(radices.radices[i - 1]);
  return result;
}

/// Returns x < N with its digits to the base of N's prime factors in opposite order: its bits, if N
/// is a power of two. The map is its own inverse if N is the power of a prime.
template <unsigned N>
WINGBEAT_FN constexpr unsigned reversed_below(unsigned x) {
  if constexpr (is_power_of_two(N)) {
    constexpr unsigned bits = log2_of(N);
    return bits_reversed(x, bits);
  } else {  // no loop: register indices stay constants
    constexpr unsigned first = least_factor(N), rest = N / first;
    return x / rest + first * reversed_below<rest>(x % rest);
  }
}

}  // namespace wingbeat::device
