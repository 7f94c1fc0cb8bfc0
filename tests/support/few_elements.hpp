// SPDX-License-Identifier: Apache-2.0
// Some elements of a transform by the sum that defines them, in long double, of rows so long that
// an oracle of all elements would take too much memory: 16 bytes of every number suffice.
#pragma once

#include <bit>  // bit_width
#include <complex>
#include <cstddef>  // size_t

#include "reference/root_of_unity.hpp"  // root_of_unity, direction, row
#include "request/traits.hpp"           // traits, basis, domain

namespace wingbeat::test {

/// Roots of any order, each a product of two from tables of its square root.
class split_roots {
 public:
  using value = std::complex<long double>;

  split_roots(std::size_t order, reference::direction dir)
      : order_(order), low_bits_(std::bit_width(order) / 2) {
    const std::size_t low = std::size_t{1} << low_bits_;
    for (std::size_t e = 0; e < low; ++e) {
      low_.push_back(reference::root_of_unity<long double>(e, order, dir));
    }
    for (std::size_t e = 0; e < order; e += low) {
      high_.push_back(reference::root_of_unity<long double>(e, order, dir));
    }
  }

  [[nodiscard]] std::size_t order() const noexcept { return order_; }
  [[nodiscard]] value operator[](std::size_t e) const {
    const value a = high_[e >> low_bits_], b = low_[e & ((std::size_t{1} << low_bits_) - 1)];
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
  }

 private:
  std::size_t order_;
  int low_bits_;
  reference::row<long double> low_, high_;
};

/// Returns element k of the transform, without a scale, of the row of n points at `x`.
template <class Real>
std::complex<long double> element_by_definition(const request::traits& kind, std::size_t n,
                                                const Real* x, const split_roots& roots,
                                                std::size_t k) {
  using request::domain, request::basis;
  const std::size_t order = roots.order();
  const auto angle = [&](std::size_t j) { return kind.place_in(j) * kind.place_out(k) % order; };
  const std::size_t step = (angle(1) + order - angle(0)) % order;
  std::size_t e = angle(0);
  long double re = 0, im = 0;
  for (std::size_t j = 0; j < request::count_of(kind.in, n); ++j) {
    const auto w = roots[e];
    e += step;
    e -= e >= order ? order : 0;
    if (kind.is_real_to_real()) {
      const long double f = kind.functions == basis::cosine ? w.real()
                            : kind.functions == basis::sine ? -w.imag()
                                                            : w.real() - w.imag();
      const bool is_single = kind.functions == basis::cas || kind.is_own_mirror_in(j, n);
      re += (is_single ? 1 : 2) * x[j] * f;
    } else if (kind.in == domain::real) {
      re += x[j] * w.real();
      im += x[j] * w.imag();
    } else if (kind.in == domain::hermitian) {
      const bool is_single = j == 0 || 2 * j == n;
      const long double imag = is_single ? 0 : x[2 * j + 1];
      re += (is_single ? 1 : 2) * (x[2 * j] * w.real() - imag * w.imag());
    } else {
      re += x[2 * j] * w.real() - x[2 * j + 1] * w.imag();
      im += x[2 * j] * w.imag() + x[2 * j + 1] * w.real();
    }
  }
  return {re, im};
}

}  // namespace wingbeat::test
