// SPDX-License-Identifier: Apache-2.0
// Test signals: noise, an impulse, a tone. `std::vector` where the length is a number, `signal`
// (an array, as device code takes it) where it is a type.
#pragma once

#include <cmath>        // cos, sin
#include <cstddef>      // size_t
#include <cstdint>      // uint64_t
#include <random>       // mt19937_64
#include <type_traits>  // integral_constant
#include <vector>

#include "reference/root_of_unity.hpp"  // root_of_unity
#include "wingbeat/device/complex.hpp"  // complex

namespace wingbeat::test {

using device::complex;

/// A length as a type, for typed tests.
template <int N>
using length = std::integral_constant<int, N>;

/// N values in an array: pass `.values` to device code.
template <class Real, int N>
struct signal {
  complex<Real> values[N];

  complex<Real>& operator[](std::size_t j) { return values[j]; }
  const complex<Real>& operator[](std::size_t j) const { return values[j]; }
  static constexpr std::size_t size() { return N; }
  auto begin() const { return values; }
  auto end() const { return values + N; }
};

/// Returns every value times a number.
template <class Real, int N>
signal<Real, N> operator*(int factor, signal<Real, N> x) {
  for (auto& z : x.values) z = scaled(z, static_cast<Real>(factor));
  return x;
}

/// Fills a range of reals, uniform in [-1, 1]. The same seed gives the same noise everywhere:
/// std::uniform_real_distribution does not promise that.
template <class Real>
void fill_noise(Real* first, std::size_t count, std::uint64_t seed) {
  std::mt19937_64 bits{seed};
  for (std::size_t j = 0; j < count; ++j) {
    const auto of_2_53 = static_cast<double>(bits() >> 11);
    first[j] = static_cast<Real>(of_2_53 / 0x1p52 - 1);
  }
}

/// Returns n complex values, both parts uniform in [-1, 1].
template <class Real>
std::vector<complex<Real>> noise(std::size_t n, std::uint64_t seed) {
  std::vector<complex<Real>> x(n);
  fill_noise(&x.data()->re, 2 * n, seed);
  return x;
}

/// The same, as an array.
template <class Real, int N>
signal<Real, N> noise(std::uint64_t seed) {
  signal<Real, N> x;
  fill_noise(&x.values[0].re, 2 * N, seed);
  return x;
}

/// Returns n real values uniform in [-1, 1].
template <class Real>
std::vector<Real> real_noise(std::size_t n, std::uint64_t seed) {
  std::vector<Real> x(n);
  fill_noise(x.data(), n, seed);
  return x;
}

/// Returns 1 at `position` and 0 elsewhere.
template <class Real>
std::vector<complex<Real>> impulse(std::size_t n, std::size_t position) {
  std::vector<complex<Real>> x(n);
  x[position].re = 1;
  return x;
}

/// Returns exp(+2 pi i bin j/n), rounded once: its forward transform is n at `bin`.
template <class Real>
std::vector<complex<Real>> tone(std::size_t n, std::size_t bin) {
  std::vector<complex<Real>> x(n);
  for (std::size_t j = 0; j < n; ++j) {
    const auto z = reference::root_of_unity<Real>(bin * j, n, device::direction::inverse);
    x[j] = {z.real(), z.imag()};
  }
  return x;
}

/// Returns a real signal as a complex one.
template <class Real>
std::vector<complex<Real>> as_complex(const std::vector<Real>& x) {
  std::vector<complex<Real>> widened(x.size());
  for (std::size_t j = 0; j < x.size(); ++j) widened[j].re = x[j];
  return widened;
}

}  // namespace wingbeat::test
