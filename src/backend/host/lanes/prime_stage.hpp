// SPDX-License-Identifier: Apache-2.0
// A Stockham stage whose radix R is a prime above those of `butterfly`, known when it runs, by the
// definition. With H = R/2, c and s the cosine and the sine of 2 pi jk/R,
//     even[k] = x[0] + sum_j c (x[j] + x[R-j]),    odd[k] = sum_j s (x[j] - x[R-j]),    j <= H,
//     X[k] = even[k] - i odd[k],    X[R-k] = even[k] + i odd[k].
// Terms are summed in blocks: the roundings of a constant or a slow tone add up.
#pragma once

#include "backend/host/kernels.hpp"     // longest_prime_radix, first_of_tile
#include "backend/host/lanes/simd.hpp"  // lanes, load_split, store_split, broadcast

namespace wingbeat::backend::host::WINGBEAT_HOST_ISA {

/// Terms that are summed before their sum is added to that of the blocks before.
inline constexpr size_t prime_block = 8;

/// Bins that are summed together, which share what they load.
inline constexpr int prime_bins = vector_bytes > 32 ? 4 : 2;

/// x[j] + x[R-j] and x[j] - x[R-j], j from 1 on.  [j - 1]
template <class V>
struct folded_terms {
  lanes<V> sums[longest_prime_radix / 2];
  lanes<V> differences[longest_prime_radix / 2];
};

/// Folds R vectors, `pitch` numbers apart, and returns their sum.
template <class V>
WINGBEAT_LANES lanes<V> fold_terms(const typename V::Real* in, size_t pitch, size_t radix,
                                   folded_terms<V>& terms) {
  lanes<V> whole = load_split<V>(in);
  for (size_t begin = 0; begin < radix / 2; begin += prime_block) {
    lanes<V> sum{V{0.0}, V{0.0}};
    for (size_t j = begin; j < radix / 2 && j < begin + prime_block; ++j) {
      const auto near = load_split<V>(in + pitch * (1 + j));
      const auto far = load_split<V>(in + pitch * (radix - 1 - j));
      terms.sums[j] = near + far;
      terms.differences[j] = near - far;
      sum = sum + terms.sums[j];
    }
    whole = whole + sum;
  }
  return whole;
}

/// Sums even and odd parts of `prime_bins` bins.  factors: [j - 1][k - 1][cosine, sine], H of each
template <class V>
WINGBEAT_LANES void sum_bins(const folded_terms<V>& terms, size_t half,
                             const typename V::Real* factors, lanes<V> (&even)[prime_bins],
                             lanes<V> (&odd)[prime_bins]) {
  for (size_t begin = 0; begin < half; begin += prime_block) {
    lanes<V> evens[prime_bins], odds[prime_bins];
    WINGBEAT_UNROLL
    for (int i = 0; i < prime_bins; ++i) evens[i] = odds[i] = {V{0.0}, V{0.0}};
    for (size_t j = begin; j < half && j < begin + prime_block; ++j) {
      const lanes<V> sum = terms.sums[j], difference = terms.differences[j];
      WINGBEAT_UNROLL
      for (int i = 0; i < prime_bins; ++i) {
        const lanes<V> root = broadcast<V>(factors + 2 * (half * j + i));
        evens[i] = {evens[i].re + root.re * sum.re, evens[i].im + root.re * sum.im};
        odds[i] = {odds[i].re + root.im * difference.re, odds[i].im + root.im * difference.im};
      }
    }
    WINGBEAT_UNROLL
    for (int i = 0; i < prime_bins; ++i) {
      even[i] = even[i] + evens[i];
      odd[i] = odd[i] + odds[i];
    }
  }
}

/// A stage between split blocks, as `middle`.  roots: factors of sum_bins, then, where P > 1,
/// [p][k - 1]
template <class V>
[[gnu::flatten, gnu::noinline]] void middle_of_prime(size_t radix, const typename V::Real* in,
                                                     typename V::Real* out,
                                                     const typename V::Real* roots, size_t n_p,
                                                     size_t n_q) {
  constexpr size_t block = 2 * V::width;
  const size_t half = radix / 2;
  const auto* turns = roots + 2 * half * half;
  folded_terms<V> terms;
  for (size_t p = 0; p < n_p; ++p, turns += 2 * (radix - 1)) {
    for (size_t q = 0; q < n_q; ++q) {
      const auto* const source = in + block * (q + n_q * p);
      auto* const target = out + block * (q + n_q * radix * p);
      store_split<V>(target, fold_terms<V>(source, block * n_q * n_p, radix, terms));
      const auto put = [&](size_t k, lanes<V> bin) {
        if (n_p > 1) bin = bin * broadcast<V>(turns + 2 * (k - 1));
        store_split<V>(target + block * n_q * k, bin);
      };
      for (size_t tile = 0; tile * prime_bins < half; ++tile) {
        const size_t first = first_of_tile(tile, prime_bins, half);
        lanes<V> even[prime_bins], odd[prime_bins];
        WINGBEAT_UNROLL
        for (int i = 0; i < prime_bins; ++i) {
          even[i] = load_split<V>(source);
          odd[i] = {V{0.0}, V{0.0}};
        }
        sum_bins<V>(terms, half, roots + 2 * first, even, odd);
        WINGBEAT_UNROLL
        for (int i = 0; i < prime_bins; ++i) {
          const size_t k = 1 + first + i;
          put(k, {even[i].re + odd[i].im, even[i].im - odd[i].re});
          put(radix - k, {even[i].re - odd[i].im, even[i].im + odd[i].re});
        }
      }
    }
  }
}

}  // namespace wingbeat::backend::host::WINGBEAT_HOST_ISA
