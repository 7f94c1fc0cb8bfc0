// SPDX-License-Identifier: Apache-2.0
// Converts complex values of a spectrum for heaps: dithers, limits and rounds them, and counts
// limited values. src/channelising/arithmetic/quantise.hpp is the same for processors.
#pragma once

#include "wingbeat/device/channeliser/heap_sample.hpp"  // heap_sample, limit_of
#include "wingbeat/device/complex.hpp"                  // complex
#include "wingbeat/device/half.hpp"                     // half_float
#include "wingbeat/device/port.hpp"                     // WINGBEAT_FN, maths
#include "wingbeat/device/words.hpp"                    // larger_magnitude, low_bytes

namespace wingbeat::device::channeliser {

/// A stored complex value.
template <heap_sample Kind>
struct stored;
template <>
struct stored<heap_sample::int4> {
  using type = unsigned char;
  WINGBEAT_FN static type of(complex<float> c) {
    const int re = maths::to_integer<int>(c.re), im = maths::to_integer<int>(c.im);
    return type((re & 15) << 4 | (im & 15));
  }
};
template <>
struct stored<heap_sample::int8> {
  using type = unsigned short;
  WINGBEAT_FN static type of(complex<float> c) {
    // Next to 3 2^22 a float's last bit is worth 1, so the addition rounds, ties to even.
    constexpr float rounds = 12582912.0f;
    return type(low_bytes(bits_of(c.re + rounds), bits_of(c.im + rounds)));
  }
};
template <>
struct stored<heap_sample::int16> {
  using type = unsigned;
  WINGBEAT_FN static type of(complex<float> c) {
    constexpr float rounds = 12582912.0f;
    return (bits_of(c.re + rounds) & 0xffffu) | bits_of(c.im + rounds) << 16;
  }
};
template <>
struct stored<heap_sample::fp16> {
  using type = unsigned;
  WINGBEAT_FN static type of(complex<float> c) {
    return unsigned(half_float(c.re).bits) | unsigned(half_float(c.im).bits) << 16;
  }
};
template <>
struct stored<heap_sample::fp32> {
  using type = complex<float>;
  WINGBEAT_FN static type of(complex<float> c) { return c; }
};

/// Returns whether a value saturates.
template <heap_sample Kind, unsigned N>
WINGBEAT_FN bool any_saturates(const complex<float> (&u)[N]) {
  float largest = 0;
  WINGBEAT_UNROLL
  for (unsigned i = 0; i < N; ++i)
    largest = larger_magnitude(larger_magnitude(largest, u[i].re), u[i].im);
  return !(largest <= limit_of(Kind));
}

/// Returns u limited to the range of Kind, and adds 1 to `saturated` if that changes it.
template <heap_sample Kind>
WINGBEAT_FN complex<float> limited(complex<float> u, unsigned& saturated) {
  constexpr float limit = limit_of(Kind);
  const complex<float> c{maths::clamp(u.re, -limit, limit), maths::clamp(u.im, -limit, limit)};
  saturated += c.re != u.re || c.im != u.im ? 1u : 0u;
  return c;
}

}  // namespace wingbeat::device::channeliser
