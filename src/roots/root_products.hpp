// SPDX-License-Identifier: Apache-2.0
// Computes thousands of roots of unity, for the tables of all engines.
#pragma once

#include <complex>
#include <cstddef>      // size_t
#include <type_traits>  // conditional_t, is_same_v
#include <vector>

#include "wingbeat/device/index.hpp"  // log2_of
#include "wingbeat/roots.hpp"         // root

namespace wingbeat {

/// Returns a root rounded to `Real`.
template <class Real, class Work>
std::complex<Real> rounded_root(const std::complex<Work>& root) {
  return {static_cast<Real>(root.real()), static_cast<Real>(root.imag())};
}

/// Roots exp(-2 pi i step e / order), e < count, each the product of two computed roots: sines for
/// tables of thousands would take milliseconds. The error of a product is below the rounding to
/// Real.
template <class Real>
class root_products {
 public:
  root_products(std::size_t order, std::size_t count, std::size_t step = 1)
      : fine_bits_((device::log2_of(count) + 1) / 2) {
    const std::size_t fine = std::size_t{1} << fine_bits_;
    for (std::size_t e = 0; e < fine; ++e)
      fine_.push_back(rounded_root<work>(root(e * step, order)));
    for (std::size_t e = 0; e < count; e += fine) {
      coarse_.push_back(rounded_root<work>(root(e * step, order)));
    }
  }
  /// Prepares all roots of an order.
  explicit root_products(std::size_t order) : root_products(order, order) {}

  [[nodiscard]] std::complex<Real> operator()(std::size_t e) const {
    const auto a = fine_[e & (fine_.size() - 1)], b = coarse_[e >> fine_bits_];
    return rounded_root<Real>(std::complex<work>{a.real() * b.real() - a.imag() * b.imag(),
                                                 a.real() * b.imag() + a.imag() * b.real()});
  }

 private:
  using work = std::conditional_t<std::is_same_v<Real, float>, double, long double>;
  unsigned fine_bits_;
  std::vector<std::complex<work>> fine_, coarse_;
};

}  // namespace wingbeat
