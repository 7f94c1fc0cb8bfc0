// SPDX-License-Identifier: Apache-2.0
// What is right, in long double, and how far from it something is.
#pragma once

#include <algorithm>  // max
#include <bit>        // has_single_bit
#include <complex>
#include <cstddef>  // size_t
#include <limits>   // numeric_limits

#include "reference/dft_by_definition.hpp"
#include "reference/iterative.hpp"
#include "verify/distance.hpp"            // distance
#include "wingbeat/device/complex.hpp"    // complex
#include "wingbeat/device/direction.hpp"  // direction

namespace wingbeat::test {

using device::direction;

/// Values in long double, as every oracle returns them.
using exact = reference::row<long double>;

template <class Real>
std::complex<long double> widened(device::complex<Real> z) {
  return {z.re, z.im};
}
template <class Real>
std::complex<long double> widened(std::complex<Real> z) {
  return {z.real(), z.imag()};
}
inline std::complex<long double> widened(long double z) {
  return z;
}

/// Returns a range of real or complex values (either complex type) in long double.
template <class Range>
exact widened_row(const Range& x) {
  exact row;
  for (const auto& z : x) row.push_back(widened(z));
  return row;
}

/// Returns the DFT of x, any length, by the sum that defines it. N^2: for N up to about 2^12.
template <class Range>
exact dft_by_definition(const Range& x, direction dir) {
  return reference::dft_by_definition(widened_row(x), dir);
}
template <direction Dir, class Range>
exact dft_by_definition(const Range& x) {
  return dft_by_definition(x, Dir);
}

/// Returns the DFT of x for tests of any size: short rows by the definition, others by a stage in
/// long double for each prime factor, whose error is below 2^-59.
template <class Range>
exact dft(const Range& x, direction dir) {
  exact row = widened_row(x);
  const std::size_t n = row.size();
  if (!std::has_single_bit(n) && n <= 64) return reference::dft_by_definition(row, dir);
  reference::iterative(row,
                       reference::roots_of_unity<long double>(reference::n_roots_of(n), n, dir));
  return row;
}

/// Returns the largest |z| of a range.
template <class Range>
long double largest(const Range& x) {
  long double most = 0;
  for (const auto& z : x) most = std::max(most, std::abs(widened(z)));
  return most;
}

/// Returns the distance of two ranges, infinite where their lengths differ.
template <class Got, class Expected>
verify::distance distance_between(const Got& got, const Expected& expected) {
  verify::distance found;
  if (std::size(got) != std::size(expected)) {
    found.add(std::numeric_limits<long double>::infinity(), 0);
    return found;
  }
  for (std::size_t j = 0; j < std::size(got); ++j) found.add(widened(got[j]), widened(expected[j]));
  return found;
}

/// Returns the largest |got - expected|; infinity where something is NaN or the lengths differ.
template <class Got, class Expected>
long double max_error(const Got& got, const Expected& expected) {
  return distance_between(got, expected).largest_error();
}

/// Returns sqrt(sum |got - expected|^2 / sum |expected|^2); infinity where something is NaN or
/// the lengths differ.
template <class Got, class Expected>
long double relative_l2(const Got& got, const Expected& expected) {
  return distance_between(got, expected).relative_l2();
}

}  // namespace wingbeat::test
