// SPDX-License-Identifier: Apache-2.0
// Lengths as chains of Stockham stages, and the roots that the stages read, in their order.
#pragma once

#include <algorithm>  // max
#include <bit>        // countr_zero
#include <complex>
#include <cstddef>  // size_t
#include <string>

#include "backend/host/kernels.hpp"  // chain
#include "roots/root_products.hpp"   // root_products
#include "text/formatted.hpp"        // formatted

namespace wingbeat::backend::host {

/// Splits a power of two into as few radices as possible, at least `min_stages`, none below 4 if
/// possible; the first is at least `width`, so that its outputs are transposed in registers.
inline chain factorised(std::size_t length, int width, int max_radix, int min_stages = 2) {
  chain result;
  result.length = length;
  int bits = std::countr_zero(length);
  const int min_bits = std::countr_zero(static_cast<unsigned>(width));
  const int max_bits = std::countr_zero(static_cast<unsigned>(max_radix));
  for (int left = std::max(min_stages, (bits + max_bits - 1) / max_bits); bits > 0; --left) {
    int share = (bits + left - 1) / left;
    if (result.n_stages == 0) share = std::max(share, min_bits);
    result.stages[result.n_stages++].radix = 1 << share;
    bits -= share;
  }
  return result;
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
  explicit table_writer(Real* table) : begin_(table), next_(table) {}

  [[nodiscard]] std::size_t written() const { return static_cast<std::size_t>(next_ - begin_); }
  [[nodiscard]] Real* next() const { return next_; }

  void put(std::complex<Real> root) {
    *next_++ = root.real();
    *next_++ = root.imag();
  }
  template <class RootOf>
  void split(std::size_t width, RootOf root_of) {  // [re, im][lane]
    for (std::size_t l = 0; l < width; ++l) {
      const std::complex<Real> root = root_of(l);
      next_[l] = root.real();
      next_[width + l] = root.imag();
    }
    next_ += 2 * width;
  }

 private:
  Real* begin_;
  Real* next_;
};

/// Writes the factors of a stage whose radix is a prime by the definition.  [j - 1][k - 1]
template <class Real>
void write_prime(table_writer<Real>& table, std::size_t radix) {
  const root_products<Real> w{radix};
  for (std::size_t j = 1; j <= radix / 2; ++j) {
    for (std::size_t k = 1; k <= radix / 2; ++k) table.put(std::conj(w(j * k % radix)));
  }
}

/// Writes w^(pk) of a stage of P R points for all lanes alike.  [p][k - 1]
template <class Real>
void write_stage(table_writer<Real>& table, std::size_t n_p, std::size_t radix) {
  if (radix > largest_butterfly) {
    write_prime(table, radix);
    if (n_p == 1) return;  // all are 1
  }
  const root_products<Real> w{n_p * radix};
  for (std::size_t p = 0; p < n_p; ++p) {
    for (std::size_t k = 1; k < radix; ++k) table.put(w(p * k));
  }
}

/// Writes the stages `begin` to the last but one; the last has no roots.
template <class Real>
void write_chain(table_writer<Real>& table, chain& factors, int begin) {
  std::size_t left = factors.length;
  for (int i = 0; i + 1 < factors.n_stages; ++i) {
    const auto radix = static_cast<std::size_t>(factors.stages[i].radix);
    if (i >= begin) {
      factors.stages[i].roots = table.written();
      write_stage(table, left / radix, radix);
    }
    left /= radix;
  }
}

/// Returns an upper bound of the reals that the stages after the first need: N/R1 (1 + 1/R2 + ...),
/// and R^2 / 2 for each prime larger than butterflies.
inline std::size_t chain_reals(std::size_t length) {
  std::size_t reals = 4 * length, left = length;
  for (std::size_t r = 2; r <= longest_prime_radix; ++r) {
    for (; left % r == 0; left /= r) reals += r > largest_butterfly ? r * r / 2 : 0;
  }
  return reals;
}

/// Returns the radices as "16 x 8".
inline std::string words(const chain& factors) {
  std::string text;
  for (int i = 0; i < factors.n_stages; ++i) {
    text += formatted("{}{}", i == 0 ? "" : " x ", factors.stages[i].radix);
  }
  return text;
}

}  // namespace wingbeat::backend::host
