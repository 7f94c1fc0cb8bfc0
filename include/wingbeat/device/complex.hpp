// SPDX-License-Identifier: Apache-2.0
// Complex numbers as two adjacent reals. `Real` is float, double, or a SIMD vector of them.
#pragma once

#include "wingbeat/device/port.hpp"  // WINGBEAT_FN, copies_by_parts

namespace wingbeat::device {

/// re + i im. An aggregate; in memory the real part comes first.
template <class Real>
struct alignas(2 * sizeof(Real)) complex {
  Real re;
  Real im;
};

/// Returns *from, a complex number in global or local memory.
template <class Pointer>
WINGBEAT_FN auto copied_from(Pointer source) -> complex<decltype(source->re)> {
  if constexpr (copies_by_parts) {
    return {source->re, source->im};
  } else {
    return *source;
  }
}

/// Writes *to = z, in global or local memory.
template <class Pointer, class Real>
WINGBEAT_FN void copy_to(Pointer target, complex<Real> z) {
  if constexpr (copies_by_parts) {
    target->re = z.re;
    target->im = z.im;
  } else {
    *target = z;
  }
}

template <class Real>
WINGBEAT_FN constexpr complex<Real> operator+(complex<Real> a, complex<Real> b) {
  return {a.re + b.re, a.im + b.im};
}

template <class Real>
WINGBEAT_FN constexpr complex<Real> operator-(complex<Real> a, complex<Real> b) {
  return {a.re - b.re, a.im - b.im};
}

template <class Real>
WINGBEAT_FN constexpr complex<Real> operator*(complex<Real> a, complex<Real> b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

/// Returns z times a real number.
template <class Real>
WINGBEAT_FN constexpr complex<Real> scaled(complex<Real> z, Real factor) {
  return {z.re * factor, z.im * factor};
}

/// Returns the complex conjugate.
template <class Real>
WINGBEAT_FN constexpr complex<Real> conj(complex<Real> z) {
  return {z.re, -z.im};
}

/// Returns i times z.
template <class Real>
WINGBEAT_FN constexpr complex<Real> times_i(complex<Real> z) {
  return {-z.im, z.re};
}

}  // namespace wingbeat::device
