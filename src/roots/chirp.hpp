// SPDX-License-Identifier: Apache-2.0
// A transform of any length as a convolution, by n k = (n^2 + k^2 - (k - n)^2) / 2:
//
//     X[k] = c[k] sum over n of (c[n] x[n]) conj(c[k - n]),   c[n] = exp(-+ pi i n^2 / N)
//
// which is cyclic within M >= 2 N - 1 points, or N + K - 1 if only the first K bins are wanted, or
// only the first K of x are given. L. I. Bluestein, A linear filtering approach to the computation
// of discrete Fourier transform, IEEE Trans. Audio Electroacoust. 18 (1970) 451.
#pragma once

#include <complex>
#include <cstddef>  // size_t
#include <vector>

#include "wingbeat/plan.hpp"  // precision

namespace wingbeat {

/// Transforms a row forward in place.
using row_transform = void (*)(std::vector<std::complex<double>>& row);

/// The tables of a chirp, rounded once to double.
struct chirp {
  /// Returns the chirp of a transform of `points` points within `total`. `bins` (0: all) is the
  /// number of valid bins of a forward transform, or of given bins of an inverse one. The spectrum
  /// is computed in double by `transform`, which takes rows of good lengths. It is computed in long
  /// double without `transform`, for short rows and, for transforms in fp64, within up to 2^20
  /// points.
  chirp(std::size_t points, std::size_t total, bool is_forward, precision real,
        std::size_t bins = 0, row_transform transform = nullptr);

  std::size_t points, total;                   ///< N and M.
  std::size_t inputs, outputs;                 ///< How many inputs are given, and how many outputs
                                               ///< are valid.
  std::vector<std::complex<double>> factors;   ///< c[n], n < N
  std::vector<std::complex<double>> spectrum;  ///< Spectrum of conj(c), divided by M; bins in
                                               ///< natural order.
};

}  // namespace wingbeat
