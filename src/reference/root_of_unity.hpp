// SPDX-License-Identifier: Apache-2.0
// w^k = exp(sign 2 pi i k/N), with the angle reduced in integers, so that every k is as accurate.
#pragma once

#include <cmath>  // cos, sin
#include <complex>
#include <cstddef>  // size_t
#include <numbers>  // pi_v
#include <utility>  // swap
#include <vector>

#include "wingbeat/device/direction.hpp"  // direction

namespace wingbeat::reference {

using device::direction;

/// N complex values in natural order.
template <class Real>
using row = std::vector<std::complex<Real>>;

/// Returns exp(sign 2 pi i k/n), rounded once; exact at the quarter turns.
/// k/n = (quarters + rest/n) / 4 in integers; past half of a quarter, cos and sin swap.
template <class Real>
std::complex<Real> root_of_unity(std::size_t k, std::size_t n, direction dir) {
  const std::size_t quarters = 4 * (k % n) / n;
  const std::size_t rest = 4 * (k % n) - quarters * n;
  const bool is_past_half = 2 * rest > n;
  const long double part = static_cast<long double>(is_past_half ? n - rest : rest) / n;
  const long double angle = part * std::numbers::pi_v<long double> / 2;

  long double c = std::cos(angle), s = std::sin(angle);
  if (is_past_half) std::swap(c, s);
  for (std::size_t turn = 0; turn < quarters; ++turn) {
    const long double turned = -s;
    s = c;
    c = turned;
  }
  if (dir == direction::forward) s = -s;
  return {static_cast<Real>(c), static_cast<Real>(s)};
}

/// Returns w^0 .. w^(count-1) of length n. Radix 2 takes n/2 of them: w^(k+n/2) = -w^k.
template <class Real>
row<Real> roots_of_unity(std::size_t count, std::size_t n, direction dir) {
  row<Real> roots(count);
  for (std::size_t k = 0; k < count; ++k) roots[k] = root_of_unity<Real>(k, n, dir);
  return roots;
}

}  // namespace wingbeat::reference
