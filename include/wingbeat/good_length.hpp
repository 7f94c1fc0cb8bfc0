// SPDX-License-Identifier: Apache-2.0
// Good lengths are products 2^a 3^b 5^c 7^d 11^e 13^f from 2 to 2^28, which every engine transforms
// by its radices. Plans take any length, but convolve other lengths within a longer one: a signal
// that may be padded with zeros is faster at the next good length.
#pragma once

#include <algorithm>  // max
#include <cstddef>    // size_t

#include "wingbeat/error.hpp"  // plan_error
#include "wingbeat/plan.hpp"   // transform, max_length

namespace wingbeat {

/// Largest prime factor of a good length.
inline constexpr std::size_t max_prime_factor = 13;

namespace good_lengths {

/// Returns whether none of the prime factors of n > 0 is above `max_prime_factor`.
constexpr bool has_small_factors(std::size_t n) noexcept {
  for (std::size_t factor = 2; factor <= max_prime_factor; ++factor) {
    while (n % factor == 0) n /= factor;
  }
  return n == 1;
}

}  // namespace good_lengths

namespace good_lengths {

/// Returns the points whose factors decide how fast an axis of n is: n - 1 for dct1, n + 1 for
/// dst1.
constexpr std::size_t decisive_points(std::size_t n, transform kind) noexcept {
  if (kind == transform::dct1) return n > 0 ? n - 1 : 0;
  return kind == transform::dst1 ? n + 1 : n;
}

}  // namespace good_lengths

/// Returns whether n is 2 to `max_length` without a prime factor above 13. For dct1 this
/// applies to n - 1, for dst1 to n + 1.
[[nodiscard]] constexpr bool is_good_length(std::size_t n,
                                            transform kind = transform::forward) noexcept {
  const std::size_t points = good_lengths::decisive_points(n, kind);
  return n <= max_length && points >= 2 && points <= max_length &&
         good_lengths::has_small_factors(points);
}

namespace good_lengths {

/// The odd prime factors of good lengths.
inline constexpr std::size_t odd_primes[] = {3, 5, 7, 11, 13};
inline constexpr std::size_t n_odd_primes = 5;

/// Returns the smallest number >= n that is `product`, a power of two, times odd primes from number
/// `first` on; `best` if that is smaller.
constexpr std::size_t min_from(std::size_t n, std::size_t product, std::size_t first,
                               std::size_t best) noexcept {
  if (first == n_odd_primes) {
    while (product < n) product *= 2;
    return product < best ? product : best;
  }
  for (; product < best; product *= odd_primes[first]) {
    best = min_from(n, product, first + 1, best);
  }
  return best;
}

/// Returns the largest such product that is at most n; `best` if that is larger.
constexpr std::size_t largest_up_to(std::size_t n, std::size_t product, std::size_t first,
                                    std::size_t best) noexcept {
  if (first == n_odd_primes) {
    while (product <= n / 2) product *= 2;
    return product > best ? product : best;
  }
  for (; product <= n; product *= odd_primes[first]) {
    best = largest_up_to(n, product, first + 1, best);
  }
  return best;
}

}  // namespace good_lengths

/// Returns the smallest length from n on that is fast for this kind: a good length; an even one for
/// real transforms, whose rows are computed as complex ones of half the length; one more than a
/// good length for dct1, one less for dst1. Returns n if there is none up to `max_length`. Throws
/// `plan_error` for an n above `max_length`.
///
///     static_assert(good_length(1002) == 1008);
///     static_assert(good_length(1024, transform::dct1) == 1025);
[[nodiscard]] constexpr std::size_t good_length(std::size_t n,
                                                transform kind = transform::forward) {
  if (n > max_length) {
    throw plan_error("good_length was given more than max_length, 2^28; choose a shorter length");
  }
  const bool is_real = kind == transform::forward_from_real || kind == transform::inverse_to_real;
  const std::size_t points = std::max<std::size_t>(good_lengths::decisive_points(n, kind), 2);
  if (points > max_length) return n;
  const std::size_t good = good_lengths::min_from(points, is_real ? 2 : 1, 0, max_length);
  const std::size_t length = good + 1 - good_lengths::decisive_points(1, kind);
  return length > max_length ? n : length;
}

}  // namespace wingbeat
