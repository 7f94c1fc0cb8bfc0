// SPDX-License-Identifier: Apache-2.0
// Roots of unity w^k = exp(-2 pi i k / N), the one source of every table of the host engine.
#pragma once

#include <cstddef>  // size_t
#include <vector>

namespace wingbeat::backend::host {

/// Roots of one order, each the product of two entries of short long-double tables, so that a
/// table of N roots costs N multiplications and about 2 sqrt N calls of sin and cos.
class roots {
 public:
  struct root {
    long double re;
    long double im;
  };

  /// Prepares roots of any order from 1 on.
  explicit roots(std::size_t order);

  /// Returns w^k for any k, within two roundings of long double.
  [[nodiscard]] root at(std::size_t k) const noexcept;

 private:
  std::size_t order_;
  unsigned low_bits_;
  std::vector<root> low_;   // w^k, k < 2^low_bits
  std::vector<root> high_;  // w^(k 2^low_bits)
};

}  // namespace wingbeat::backend::host
