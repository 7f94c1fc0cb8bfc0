// SPDX-License-Identifier: Apache-2.0
// Lengths as chains of Stockham stages, and the roots that the stages read, in their order.
#pragma once

#include <algorithm>  // max
#include <bit>        // countr_zero
#include <complex>
#include <cstddef>  // size_t
#include <string>

#include "backend/host/kernels.hpp"  // chain
#include "formatted.hpp"             // formatted
#include "root_products.hpp"         // root_products

namespace wingbeat::backend::host {

/// Splits a length into as few radices as possible but `least_stages`, none below 4 where that can
/// be had, the first one at least `width`, which lets it transpose in registers.
inline chain factorised(std::size_t length, int width, int max_radix, int least_stages = 2) {
  chain made;
  made.length = length;
  int bits = std::countr_zero(length);
  const int least = std::countr_zero(static_cast<unsigned>(width));
  const int most = std::countr_zero(static_cast<unsigned>(max_radix));
  for (int left = std::max(least_stages, (bits + most - 1) / most); bits > 0; --left) {
    int share = (bits + left - 1) / left;
    if (made.n_stages == 0) share = std::max(share, least);
    made.stages[made.n_stages++].radix = 1 << share;
    bits -= share;
  }
  return made;
}

/// Returns which of `width` adjacent numbers a lane of a vector holds.
template <class Real>
std::size_t place(std::size_t lane, std::size_t width) {
  return static_cast<std::size_t>(place_of<Real>(static_cast<int>(lane), static_cast<int>(width)));
}

/// Writes roots in the order the stages read them.
template <class Real>
class table_writer {
 public:
  explicit table_writer(Real* to) : begin_(to), at_(to) {}

  [[nodiscard]] std::size_t written() const { return static_cast<std::size_t>(at_ - begin_); }
  [[nodiscard]] Real* here() const { return at_; }

  void one(std::complex<Real> root) {
    *at_++ = root.real();
    *at_++ = root.imag();
  }
  template <class RootOf>
  void split(std::size_t width, RootOf root_of) {  // [re, im][lane]
    for (std::size_t l = 0; l < width; ++l) {
      const std::complex<Real> root = root_of(l);
      at_[l] = root.real();
      at_[width + l] = root.imag();
    }
    at_ += 2 * width;
  }

 private:
  Real* begin_;
  Real* at_;
};

/// Writes w^(pk) of a stage of P R points for all lanes alike.  [p][k - 1]
template <class Real>
void write_stage(table_writer<Real>& to, std::size_t n_p, std::size_t radix) {
  const root_products<Real> w{n_p * radix};
  for (std::size_t p = 0; p < n_p; ++p) {
    for (std::size_t k = 1; k < radix; ++k) to.one(w(p * k));
  }
}

/// Writes the stages `begin` to the last but one; the last has no roots.
template <class Real>
void write_chain(table_writer<Real>& to, chain& how, int begin) {
  std::size_t left = how.length;
  for (int i = 0; i + 1 < how.n_stages; ++i) {
    const auto radix = static_cast<std::size_t>(how.stages[i].radix);
    if (i >= begin) {
      how.stages[i].roots = to.written();
      write_stage(to, left / radix, radix);
    }
    left /= radix;
  }
}

/// Returns the reals all but the first of a chain's stages may need: N/R1 (1 + 1/R2 + ...).
inline std::size_t chain_reals(std::size_t length) {
  return 4 * length;
}

/// Returns the radices as "16 x 8".
inline std::string words(const chain& how) {
  std::string text;
  for (int i = 0; i < how.n_stages; ++i) {
    text += formatted("{}{}", i == 0 ? "" : " x ", how.stages[i].radix);
  }
  return text;
}

}  // namespace wingbeat::backend::host
