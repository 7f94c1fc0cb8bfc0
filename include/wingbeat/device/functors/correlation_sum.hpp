// SPDX-License-Identifier: Apache-2.0
// The spectrum of a sum of correlations, as the load of an inverse transform:
//     c[bin] = sum over p of conj(x[row][p][bin]) y[row][p][bin]
// The terms are added in order, so that equal inputs have equal sums.
#pragma once

#include "wingbeat/device/complex.hpp"         // complex, conj, copied_from
#include "wingbeat/device/functors/fixed.hpp"  // fixed
#include "wingbeat/device/port.hpp"            // WINGBEAT_FN, WINGBEAT_GLOBAL, size

namespace wingbeat::device::functors {

struct correlation_sum_numbers {
  size terms = 1, bins = 1;

  template <class Visit>
  WINGBEAT_FN void each(Visit visit) const {
    visit("terms", terms);
    visit("bins", bins);
  }
};

template <class Real>
class correlation_sum {
 public:
  using numbers = correlation_sum_numbers;
  using element = complex<Real>;
  static constexpr bool in_order = false;
  struct operands {
    WINGBEAT_GLOBAL const element* spectra;  ///< y; x is the input.

    template <class Visit>
    WINGBEAT_FN static void each(const numbers&, Visit visit) {
      visit("spectra", &operands::spectra);
    }
  };

  WINGBEAT_FN correlation_sum(const numbers& n, WINGBEAT_GLOBAL const element* in, operands given,
                              size row)
      : x_(in + row * n.terms * n.bins), y_(given.spectra + row * n.terms * n.bins), numbers_(n) {}
  WINGBEAT_FN complex<Real> load(size i) const {
    complex<Real> sum{Real(0), Real(0)};
    for (size p = 0; p < numbers_.terms; ++p) {
      const size place = p * numbers_.bins + i;
      sum = sum + conj(copied_from(x_ + place)) * copied_from(y_ + place);
    }
    return sum;
  }

 private:
  WINGBEAT_GLOBAL const element* x_;
  WINGBEAT_GLOBAL const element* y_;
  numbers numbers_;
};

}  // namespace wingbeat::device::functors
