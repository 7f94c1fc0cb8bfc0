// SPDX-License-Identifier: Apache-2.0
// A Stockham stage whose radix R is a prime larger than those of `butterfly`, known at run time.
#pragma once

#include "backend/host/kernels.hpp"            // longest_prime_radix, first_of_tile
#include "backend/host/lanes/folded_sums.hpp"  // sum_folded, sum_in_blocks
#include "backend/host/lanes/simd.hpp"         // lanes, load_split, store_split, broadcast

namespace wingbeat::backend::host::WINGBEAT_HOST_ISA {

/// Bins that are summed together, which share what they load.
inline constexpr int prime_bins = vector_bytes > 32 ? 4 : 2;

/// A stage between split blocks, as `middle`.  roots: cosines and sines of 2 pi jk/R,
/// [j - 1][k - 1] up to R/2, then, where P > 1, [p][k - 1]
template <class V>
[[gnu::flatten, gnu::noinline]] void middle_of_prime(size_t radix, const typename V::Real* in,
                                                     typename V::Real* out,
                                                     const typename V::Real* roots, size_t n_p,
                                                     size_t n_q) {
  constexpr size_t block = 2 * V::width;
  const size_t half = radix / 2;
  const auto* turns = roots + 2 * half * half;
  // Split numbers, [j - 1], not `lanes`, because compilers copy arrays of these in pieces.
  constexpr size_t most = block * (longest_prime_radix / 2);
  alignas(vector_bytes) typename V::Real sums[most], differences[most];
  for (size_t p = 0; p < n_p; ++p, turns += 2 * (radix - 1)) {
    for (size_t q = 0; q < n_q; ++q) {
      const auto* const source = in + block * (q + n_q * p);
      auto* const target = out + block * (q + n_q * radix * p);
      const size_t pitch = block * n_q * n_p;
      const lanes<V> first = load_split<V>(source);
      store_split<V>(target, sum_in_blocks(first, half, [&](size_t j) {
                       const auto near = load_split<V>(source + pitch * (1 + j));
                       const auto far = load_split<V>(source + pitch * (radix - 1 - j));
                       const lanes<V> sum = near + far;
                       store_split<V>(sums + block * j, sum);
                       store_split<V>(differences + block * j, near - far);
                       return sum;
                     }));
      const auto put = [&](size_t k, lanes<V> bin) {
        if (n_p > 1) bin = bin * broadcast<V>(turns + 2 * (k - 1));
        store_split<V>(target + block * n_q * k, bin);
      };
      for (size_t tile = 0; tile * prime_bins < half; ++tile) {
        const size_t begin = first_of_tile(tile, prime_bins, half);
        const auto* const factors = roots + 2 * begin;
        folded_bin<V> bins[prime_bins];
        sum_folded(
            first, half, [&](size_t j) { return load_split<V>(sums + block * j); },
            [&](size_t j) { return load_split<V>(differences + block * j); },
            [&](size_t j, int i) { return broadcast<V>(factors + 2 * (half * j + i)); }, bins);
        WINGBEAT_UNROLL
        for (int i = 0; i < prime_bins; ++i) {
          const size_t k = 1 + begin + i;
          put(k, bins[i].near());
          put(radix - k, bins[i].far());
        }
      }
    }
  }
}

}  // namespace wingbeat::backend::host::WINGBEAT_HOST_ISA
