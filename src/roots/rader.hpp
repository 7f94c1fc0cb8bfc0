// SPDX-License-Identifier: Apache-2.0
// A transform of p points, a prime, as a cyclic convolution of p - 1: see device/bodies/rader.hpp.
#pragma once

#include <array>
#include <complex>
#include <cstddef>  // size_t
#include <vector>

namespace wingbeat {

/// Computed in long double, rounded once to double.
struct rader {
  /// `points` is a prime. One less is a product of radices or, of reals, they are convolved within
  /// `pairs` complex numbers: half of one less, or at least as many as one less.
  rader(std::size_t points, bool is_forward, std::size_t pairs = 0);

  std::vector<std::size_t> powers;  ///< g^n mod p, n < p - 1, g the least root.
  /// Of w^(g^-n) / (p - 1); of reals the real part less the imaginary part, around 0 within all of
  /// them, and their number in place of p - 1. Bins in natural order.
  std::vector<std::complex<double>> spectrum;
};

/// Returns the two factors of each bin of the complex numbers that rows of reals are convolved
/// within: see device/bodies/real_rader.hpp. `forward` is of reals, and of a transform forward.
[[nodiscard]] std::array<std::vector<std::complex<double>>, 2> real_factors_of(
    const rader& forward);

[[nodiscard]] bool is_prime(std::size_t points);

/// Returns whether `rader` takes so many points.
[[nodiscard]] bool is_rader_length(std::size_t points);

}  // namespace wingbeat
