// SPDX-License-Identifier: Apache-2.0
// A transform of p points, a prime, as a cyclic convolution of p - 1: see device/bodies/rader.hpp.
#pragma once

#include <array>
#include <complex>
#include <cstddef>  // size_t
#include <vector>

namespace wingbeat {

/// The tables of Rader's algorithm, computed in long double, rounded once to double.
struct rader {
  /// Requires a prime p = `points`. Complex: p - 1 is a product of radices. Real: the reals are
  /// convolved within `pairs` complex numbers, which is (p - 1) / 2, or at least p - 1.
  rader(std::size_t points, bool is_forward, std::size_t pairs = 0);

  std::vector<std::size_t> powers;  ///< g^n mod p, n < p - 1, where g is the smallest primitive
                                    ///< root.
  /// Spectrum of w^(g^-n) / (p - 1), bins in natural order. For reals: of the real part minus the
  /// imaginary part, centred on 0 within all of them, divided by their number.
  std::vector<std::complex<double>> spectrum;
};

/// Returns the two factors of each bin of the complex numbers that convolve rows of reals: see
/// device/bodies/real_rader.hpp. `forward` is a forward transform of reals.
[[nodiscard]] std::array<std::vector<std::complex<double>>, 2> real_factors_of(
    const rader& forward);

[[nodiscard]] bool is_prime(std::size_t points);

/// Returns whether `rader` takes this length.
[[nodiscard]] bool is_rader_length(std::size_t points);

}  // namespace wingbeat
