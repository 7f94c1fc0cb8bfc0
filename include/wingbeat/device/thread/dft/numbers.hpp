// SPDX-License-Identifier: Apache-2.0
// The numbers that DFTs transform, and what they need of them beside + and -: of complex numbers
// here, and of reals where no factor turns them. Other numbers, such as pairs (re im re im ..) in a
// SIMD vector, define the same in their own namespace.
#pragma once

#include "wingbeat/device/complex.hpp"    // complex, scaled
#include "wingbeat/device/direction.hpp"  // direction
#include "wingbeat/device/port.hpp"       // WINGBEAT_FN, multiply_add

namespace wingbeat::device::thread {

/// The type of a number's parts, and of real factors: specialised for other numbers.
template <class Number>
struct parts_of {
  using type = Number;
};
template <class Real>
struct parts_of<complex<Real>> {
  using type = Real;
};
template <class Number>
using real_of = typename parts_of<Number>::type;

/// A number's type without the address space that C++ for OpenCL deduces with it from an array.
template <class Number>
WINGBEAT_FN Number& lvalue_of();
template <class Number>
using value_of = decltype(lvalue_of<Number>() + lvalue_of<Number>());

/// Returns z + factor y.
template <class Real>
WINGBEAT_FN constexpr complex<Real> fused(complex<Real> z, Real factor, complex<Real> y) {
  return {multiply_add(factor, y.re, z.re), multiply_add(factor, y.im, z.im)};
}
template <class Real>
WINGBEAT_FN constexpr Real fused(Real z, Real factor, Real y) {
  return multiply_add(factor, y, z);
}

/// Returns z - i factor y forward, z + i factor y for the inverse.
template <direction Dir, class Real>
WINGBEAT_FN constexpr complex<Real> fused_quarter(complex<Real> z, Real factor, complex<Real> y) {
  if constexpr (Dir == direction::forward) {
    return {multiply_add(factor, y.im, z.re), multiply_add(-factor, y.re, z.im)};
  } else {
    return {multiply_add(-factor, y.im, z.re), multiply_add(factor, y.re, z.im)};
  }
}

/// Returns z times w^(N/4): a quarter turn, free of multiplications.
template <direction Dir, class Real>
WINGBEAT_FN constexpr complex<Real> quarter_turn(complex<Real> z) {
  if constexpr (Dir == direction::forward) {
    return {z.im, -z.re};
  } else {
    return {-z.im, z.re};
  }
}

/// Returns z times c + i s forward, conjugated for the inverse; forward rotations have s < 0.
template <direction Dir, class Real>
WINGBEAT_FN constexpr complex<Real> rotated(complex<Real> z, Real c, Real s) {
  if constexpr (Dir == direction::forward) {
    return {z.re * c - z.im * s, z.im * c + z.re * s};
  } else {
    return {z.re * c + z.im * s, z.im * c - z.re * s};
  }
}

template <class Real>
WINGBEAT_FN constexpr complex<Real> negated(complex<Real> z) {
  return {-z.re, -z.im};
}
template <class Number>
WINGBEAT_FN constexpr Number negated(Number z) {
  return -z;
}
template <class Real>
WINGBEAT_FN constexpr Real scaled(Real x, Real factor) {
  return factor * x;
}

/// Returns z times w^(N/8): one quarter turn added to z, scaled by 1/sqrt 2.
template <direction Dir, class Number>
WINGBEAT_FN constexpr Number eighth_turn(Number z) {
  return scaled(z + quarter_turn<Dir>(z), real_of<Number>(0.70710678118654752440));
}

/// Returns z times w^(3N/8).
template <direction Dir, class Number>
WINGBEAT_FN constexpr Number three_eighths_turn(Number z) {
  return scaled(quarter_turn<Dir>(z) - z, real_of<Number>(0.70710678118654752440));
}

/// Replaces x by its DFT: see thread/dft.hpp.
template <direction Dir, unsigned Live, class Number, unsigned N>
WINGBEAT_FN constexpr void dft(Number (&x)[N]);
template <direction Dir, class Number, unsigned N>
WINGBEAT_FN constexpr void dft(Number (&x)[N]) {
  dft<Dir, N>(x);
}

}  // namespace wingbeat::device::thread
