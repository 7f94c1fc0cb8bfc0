// SPDX-License-Identifier: Apache-2.0
// From complex values to the numbers in heaps. For integers, with u the value plus its dither:
//
//     c = min(max(u, -limit), limit),   q = c rounded to the nearest integer, ties to even
//
// and the complex value saturates if c differs from u in its real or imaginary part. So the most
// negative integer never appears. fp16 and fp32 are limited alike, to the largest finite value, and
// rounded to nearest, ties to even.
#pragma once

#include <cmath>  // nearbyint
#include <complex>
#include <cstddef>  // byte, size_t
#include <span>

#include "wingbeat/channeliser.hpp"  // heap_sample

namespace wingbeat::channelising {

/// Returns whether values are rounded to integers, and thus may be dithered.
[[nodiscard]] constexpr bool is_integer(heap_sample kind) {
  return kind <= heap_sample::int16;
}

using device::channeliser::complex_bytes, device::channeliser::limit_of;

/// One complex value, limited, and rounded if integers are stored.
template <class Real>
struct quantised {
  std::complex<Real> value;
  bool is_saturated = false;
};

/// Returns the value as stored in `kind`, except for the rounding of fp16 and fp32. `dither` is
/// added first. Requires the default rounding mode.
template <class Real>
[[nodiscard]] quantised<Real> quantise(std::complex<Real> value, heap_sample kind,
                                       std::complex<Real> dither = {}) {
  const auto limit = static_cast<Real>(limit_of(kind));
  const std::complex<Real> u = value + dither;
  const auto limited = [&](Real x) { return x > limit ? limit : x < -limit ? -limit : x; };
  std::complex<Real> c{limited(u.real()), limited(u.imag())};
  const bool is_saturated = c.real() != u.real() || c.imag() != u.imag();
  if (is_integer(kind)) c = {std::nearbyint(c.real()), std::nearbyint(c.imag())};
  return {c, is_saturated};
}

/// Stores a quantised value in `complex_bytes` bytes.
void store_complex(std::complex<double> quantised_value, heap_sample kind,
                   std::span<std::byte> bytes);

/// Returns the value that `store_complex` stored.
[[nodiscard]] std::complex<double> load_complex(std::span<const std::byte> bytes, heap_sample kind);

}  // namespace wingbeat::channelising
