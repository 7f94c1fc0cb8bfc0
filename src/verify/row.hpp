// SPDX-License-Identifier: Apache-2.0
// What the memory of a transform stands for: N complex values, whichever way they are stored.
// Said so, every law is one formula for all four kinds.
#pragma once

#include <complex>
#include <cstddef>  // size_t
#include <cstdint>  // uint64_t
#include <vector>

#include "wingbeat/plan.hpp"  // transform, precision

namespace wingbeat::verify {

/// N values in natural order, in more precision than any engine's.
using value = std::complex<long double>;
using row = std::vector<value>;

/// Which rows a kind of transform takes, or gives.
enum class domain {
  any,       ///< N complex values.
  real,      ///< N values whose imaginary parts are 0.
  hermitian  ///< x[N-k] = conj x[k]; bins 0 .. N/2 are stored, the rest follows.
};

[[nodiscard]] domain input_of(transform kind) noexcept;
[[nodiscard]] domain output_of(transform kind) noexcept;

/// Returns the transform that undoes `kind`, up to the factor N.
[[nodiscard]] transform opposite(transform kind) noexcept;

/// Returns w^k = exp(sign 2 pi i k/n), the sign that of `kind`.
[[nodiscard]] value root(transform kind, std::size_t k, std::size_t n);

/// Returns bin k of the transform of x, by the sum that defines it.
[[nodiscard]] value bin_by_definition(transform kind, const row& x, std::size_t k);

/// Returns noise that lies in `within`: parts uniform in [-1, 1], as multiples of 2^-`bits`.
/// With few bits, sums and small multiples of noise are exact in any precision.
[[nodiscard]] row noise(domain within, std::size_t n, std::uint64_t seed, int bits);

/// Returns x, its parts rounded to the precision.
[[nodiscard]] row rounded(row x, precision real);

/// Returns what is stored of x as numbers: real and imaginary parts, or real parts alone. What
/// the contract says is never read (Im of bins 0 and N/2) is NaN.
[[nodiscard]] std::vector<double> packed(const row& x, domain within);

/// Returns the row that the stored numbers stand for.
[[nodiscard]] row unpacked(const double* stored, domain within, std::size_t n);

/// Returns sqrt(sum |z|^2).
[[nodiscard]] long double norm(const row& x);

/// Returns the largest |z|; NaN if there is one.
[[nodiscard]] long double largest(const row& x);

/// Returns a - b.
[[nodiscard]] row difference(const row& a, const row& b);

}  // namespace wingbeat::verify
