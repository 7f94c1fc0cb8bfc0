// SPDX-License-Identifier: Apache-2.0
// DFTs by the definition, of N folded points. With c and s the cosine and the sine of 2 pi jk/N,
//     even[k] = x[0] + sum_j c (x[j] + x[N-j]),    odd[k] = sum_j s (x[j] - x[N-j]),    j <= N/2,
//     X[k] = even[k] - i odd[k],    X[N-k] = even[k] + i odd[k].
// Terms are summed in blocks, whose sums are then added: the roundings of a constant or a slow tone
// add up, along one chain as N/2 of them.
#pragma once

#include "backend/host/lanes/simd.hpp"  // lanes

namespace wingbeat::backend::host::WINGBEAT_HOST_ISA {

/// Terms of a block.
inline constexpr size_t summed_block = 8;

/// Bins k and N - k, of each lane.
template <class V>
struct folded_bin {
  lanes<V> even, odd;

  [[nodiscard]] WINGBEAT_LANES lanes<V> near() const {
    return {even.re + odd.im, even.im - odd.re};
  }
  [[nodiscard]] WINGBEAT_LANES lanes<V> far() const { return {even.re - odd.im, even.im + odd.re}; }
};

/// Computes bins from x[0] and `half` terms: in bin i, sum(j) is multiplied by the cosine of
/// root(j, i) and difference(j) by its sine.
template <class V, int Bins, class Sum, class Difference, class Root>
WINGBEAT_LANES void sum_folded(lanes<V> first, size_t half, const Sum& sum,
                               const Difference& difference, const Root& root,
                               folded_bin<V> (&bins)[Bins]) {
  constexpr lanes<V> zero{V{0.0}, V{0.0}};
  WINGBEAT_UNROLL
  for (int i = 0; i < Bins; ++i) bins[i] = {first, zero};
  for (size_t begin = 0; begin < half; begin += summed_block) {
    folded_bin<V> sums[Bins];
    WINGBEAT_UNROLL
    for (int i = 0; i < Bins; ++i) sums[i] = {zero, zero};
    for (size_t j = begin; j < half && j < begin + summed_block; ++j) {
      const lanes<V> s = sum(j), d = difference(j);
      WINGBEAT_UNROLL
      for (int i = 0; i < Bins; ++i) {
        auto& [even, odd] = sums[i];
        const lanes<V> w = root(j, i);
        even = {even.re + w.re * s.re, even.im + w.re * s.im};
        odd = {odd.re + w.im * d.re, odd.im + w.im * d.im};
      }
    }
    WINGBEAT_UNROLL
    for (int i = 0; i < Bins; ++i) {
      bins[i] = {bins[i].even + sums[i].even, bins[i].odd + sums[i].odd};
    }
  }
}

/// Returns `first` plus the sum of number(j), j below `count`.
template <class Number, class NumberAt>
WINGBEAT_LANES Number sum_in_blocks(Number first, size_t count, const NumberAt& number) {
  for (size_t begin = 0; begin < count; begin += summed_block) {
    Number sum = number(begin);
    for (size_t j = begin + 1; j < count && j < begin + summed_block; ++j) sum = sum + number(j);
    first = first + sum;
  }
  return first;
}

}  // namespace wingbeat::backend::host::WINGBEAT_HOST_ISA
