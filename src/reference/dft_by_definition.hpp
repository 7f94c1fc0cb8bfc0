// SPDX-License-Identifier: Apache-2.0
// X[k] = sum_j x[j] w^(jk), the definition: the oracle of every other transform.
#pragma once

#include <complex>
#include <cstddef>  // size_t

#include "reference/root_of_unity.hpp"  // row, roots_of_unity

namespace wingbeat::reference {

/// Returns the DFT of x, of any length, summed in long double and rounded once. `w` holds
/// w^0 .. w^(N-1), whose sign sets the direction.
/// Scale: none.  Cost: N^2 complex multiplications.
template <class Real>
row<Real> dft_by_definition(const row<Real>& x, const row<long double>& w) {
  const std::size_t n = x.size();
  row<Real> spectrum(n);
  for (std::size_t k = 0; k < n; ++k) {
    std::complex<long double> sum = 0;
    std::size_t jk = 0;  // j k mod n
    for (std::size_t j = 0; j < n; ++j) {
      sum += std::complex<long double>(x[j]) * w[jk];
      jk += k;
      if (jk >= n) jk -= n;
    }
    spectrum[k] = std::complex<Real>(sum);
  }
  return spectrum;
}

/// Returns the DFT of x with roots computed for this call.
template <class Real>
row<Real> dft_by_definition(const row<Real>& x, direction dir) {
  return dft_by_definition(x, roots_of_unity<long double>(x.size(), x.size(), dir));
}

}  // namespace wingbeat::reference
