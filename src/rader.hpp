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
  /// `points` is a prime, and one less a product of radices.
  rader(std::size_t points, bool is_forward);

  std::vector<std::size_t> powers;             ///< g^n mod p, n < p - 1, g the least root.
  std::vector<std::complex<double>> spectrum;  ///< Of w^(g^-n) / (p - 1): bins in natural order.
};

/// Returns the two factors of each bin of (p - 1) / 2 complex numbers that are p - 1 reals: see
/// device/bodies/real_rader.hpp. `forward` is of a transform forward.
[[nodiscard]] std::array<std::vector<std::complex<double>>, 2> real_factors_of(
    const rader& forward);

/// Returns whether `rader` takes so many points.
[[nodiscard]] bool is_rader_length(std::size_t points);

}  // namespace wingbeat
