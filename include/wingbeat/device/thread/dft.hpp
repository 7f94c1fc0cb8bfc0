// SPDX-License-Identifier: Apache-2.0
// Small DFTs in one thread's registers:  X[k] = sum_j x[j] w^(jk),  w = exp(sign 2 pi i / N).
//     template <direction Dir, unsigned Live = N, class Real>
//     void dft(complex<Real> (&x)[N])         replaces x; natural order, not scaled
// for every length of `is_radix` in factors.hpp, and 1. `Real` may be a SIMD vector: then each lane
// is a transform of its own.
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

#include "wingbeat/device/thread/dft/composites.hpp"
#include "wingbeat/device/thread/dft/powers_of_two.hpp"
#include "wingbeat/device/thread/dft/primes.hpp"
