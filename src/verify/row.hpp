// SPDX-License-Identifier: Apache-2.0
// The values of one transform: N complex numbers, independent of how they are stored. In this form,
// every law is one formula for all kinds.
#pragma once

#include <complex>
#include <cstddef>  // size_t
#include <cstdint>  // uint64_t
#include <vector>

#include "request/traits.hpp"  // domain, traits_of
#include "wingbeat/plan.hpp"   // transform, precision

namespace wingbeat::verify {

using request::domain;
using request::traits_of;

/// The points of one transform in natural order, the last axis densest, more precise than any
/// engine.
using value = std::complex<long double>;
using row = std::vector<value>;

/// The lengths of a transform's axes, slowest first. N is their product.
using shape = std::vector<std::size_t>;

[[nodiscard]] std::size_t points_of(const shape& over) noexcept;

/// Returns the product of the logical lengths.
[[nodiscard]] std::size_t logical_points_of(transform kind, const shape& over) noexcept;

/// Returns the point j + s, each index modulo its axis' length; or the point -j.
[[nodiscard]] std::size_t shifted(std::size_t j, std::size_t s, const shape& over);
[[nodiscard]] std::size_t mirrored(std::size_t j, const shape& over);

/// Returns w^k = exp(sign 2 pi i k/n), with the sign of `kind`.
[[nodiscard]] value root(transform kind, std::size_t k, std::size_t n);

/// Returns the factor of x[j] in bin k: the product of w^(j k) over all axes of the points j and k;
/// for kinds from reals to reals, the product of the factors in the sums that define them.
[[nodiscard]] value root(transform kind, std::size_t j, std::size_t k, const shape& over);

/// Returns bin k of the transform of x, by the sum that defines it.
[[nodiscard]] value bin_by_definition(transform kind, const row& x, std::size_t k,
                                      const shape& over);

/// Returns noise that belongs to `within`: parts uniform in [-1, 1], as multiples of 2^-`bits`.
/// With few bits, sums and small multiples of noise are exact in any precision.
[[nodiscard]] row noise(domain within, const shape& over, std::uint64_t seed, int bits);

/// Returns x with its parts rounded to the precision.
[[nodiscard]] row rounded(row x, precision real);

/// Returns sqrt(sum |z|^2).
[[nodiscard]] long double norm(const row& x);

/// Returns the largest |z|; NaN if a value is NaN.
[[nodiscard]] long double largest(const row& x);

}  // namespace wingbeat::verify
