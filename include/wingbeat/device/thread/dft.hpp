// SPDX-License-Identifier: Apache-2.0
// Small DFTs in one thread's registers:  X[k] = sum_j x[j] w^(jk),  w = exp(sign 2 pi i / N).
//     template <direction Dir, unsigned Live = N>
//     void dft(Number (&x)[N])                replaces x; natural order, not scaled
// for every length of `is_radix` in factors.hpp, 1, and products of coprime ones. A `Number` is a
// complex<Real> or has the operations of dft/numbers.hpp. `Real` may be a SIMD vector: then each
// lane is a transform of its own.
//
// `Live`: inputs from x[Live] on are zeros, known when the code is compiled, and are not read. The
// DFTs of powers of two and of primes do not add them either. Sums of fewer terms round less;
// otherwise results are the same.
//
// All keep two symmetries exactly, not up to rounding: of real inputs, bins k and N - k are
// conjugates; of equal inputs, all bins but 0 are zeros.
//
// Operations on reals where a sum with a product is one (fused multiply-add), all inputs live:
//     N           2   3   4   5   6   7   8   9  10   11  12   13   14   15   16
//     operations  4  12  16  32  36  60  56  80  84  140  96  168  148  156  160
//     N           17   18   19   20   23   24   25   27   29   30   31
//     operations 320  196  396  208  572  264  384  380  896  372 1020
#pragma once

#include "wingbeat/device/direction.hpp"                 // direction
#include "wingbeat/device/factors.hpp"                   // least_factor
#include "wingbeat/device/port.hpp"                      // WINGBEAT_FN
#include "wingbeat/device/thread/dft/composites.hpp"     // dft_of_coprime, dft_of_power
#include "wingbeat/device/thread/dft/powers_of_two.hpp"  // dft_of_power
#include "wingbeat/device/thread/dft/primes.hpp"         // dft_of_prime

namespace wingbeat::device::thread {

/// Of coprime factors, the power of the least prime comes first.
template <direction Dir, unsigned Live, class Number, unsigned N>
WINGBEAT_FN constexpr void dft(Number (&x)[N]) {
  if constexpr (Live == 1) {
    WINGBEAT_UNROLL
    for (unsigned k = 1; k < N; ++k) x[k] = x[0];
  } else {
    using Value = value_of<Number>;
    constexpr unsigned prime = least_factor(N), power = power_in(N, prime);
    if constexpr (power < N) {
      dft_of_coprime<Dir, Live, power, N / power, Value>(x);
    } else if constexpr (prime < N || N == 2) {
      dft_of_power<Dir, Live, Value>(x);
    } else if constexpr (N == 13 && Live == 13) {
      dft_of_13<Dir, Value>(x);
    } else {
      dft_of_prime<Dir, Live, Value, N>(x);
    }
  }
}

}  // namespace wingbeat::device::thread
