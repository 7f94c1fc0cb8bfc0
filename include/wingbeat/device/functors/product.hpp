// SPDX-License-Identifier: Apache-2.0
// The product of two arrays of spectra [..][column][bin], as the load of an inverse transform.
#pragma once

#include "wingbeat/device/bfloat.hpp"          // bfloat
#include "wingbeat/device/complex.hpp"         // complex, copied_from
#include "wingbeat/device/functors/fixed.hpp"  // fixed
#include "wingbeat/device/grid/numbers.hpp"    // grid::product
#include "wingbeat/device/half.hpp"            // half_float
#include "wingbeat/device/port.hpp"            // WINGBEAT_FN, WINGBEAT_GLOBAL, size

namespace wingbeat::device::functors {

/// Which spectra are multiplied. Rows of the inverse are numbered [run][prepared][column].
struct product_numbers {
  size prepared = 1;  ///< Prepared spectra per spectrum of the run; 1 if they form pairs.
  size columns = 1;   ///< Columns of a spectrum.
  size bins = 1;      ///< Bins of a column.
  bool is_pairwise = false;
  bool has_one_column = false;  ///< Prepared spectra have one column, for all columns of the run's.
  grid::product times = grid::product::plain;

  template <class Visit>
  WINGBEAT_FN void each(Visit visit) const {
    visit("prepared", prepared);
    visit("columns", columns);
    visit("bins", bins);
    visit("is_pairwise", is_pairwise);
    visit("has_one_column", has_one_column);
    visit("times", times);
  }
};

template <class Stored, class Real>
class product {
 public:
  using numbers = product_numbers;
  static constexpr bool in_order = true;
  using element = complex<Stored>;
  struct operands {
    WINGBEAT_GLOBAL const element* spectra;  ///< The prepared spectra.

    template <class Visit>
    WINGBEAT_FN static void each(const numbers&, Visit visit) {
      visit("spectra", &operands::spectra);
    }
  };

  WINGBEAT_FN product(numbers n, WINGBEAT_GLOBAL const element* in, operands given, size row)
      : x_sign_(n.times == grid::product::conjugate_row ? Real(-1) : Real(1)),
        h_sign_(n.times == grid::product::conjugate_spectrum ? Real(-1) : Real(1)) {
    const size column = row % n.columns, run = row / n.columns / n.prepared;
    const size prepared = n.is_pairwise ? run : row / n.columns % n.prepared;
    x_ = in + (run * n.columns + column) * n.bins;
    h_ = given.spectra + (n.has_one_column ? prepared : prepared * n.columns + column) * n.bins;
  }
  WINGBEAT_FN complex<Real> load(size i) const {
    return bin(x_ + i, x_sign_) * bin(h_ + i, h_sign_);
  }

 private:
  WINGBEAT_FN static complex<Real> bin(WINGBEAT_GLOBAL const element* stored, Real sign) {
    const element z = copied_from(stored);
    return {static_cast<Real>(z.re), sign * static_cast<Real>(z.im)};
  }

  WINGBEAT_GLOBAL const element* x_;
  WINGBEAT_GLOBAL const element* h_;
  Real x_sign_, h_sign_;
};

}  // namespace wingbeat::device::functors
