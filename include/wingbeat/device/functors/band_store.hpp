// SPDX-License-Identifier: Apache-2.0
// Stores the levels of bands of frames, made of a whole row of bins in local memory.
#pragma once

#include "wingbeat/device/functors/band_load.hpp"  // band_operands, band_numbers
#include "wingbeat/device/functors/fixed.hpp"      // fixed
#include "wingbeat/device/port.hpp"                // WINGBEAT_FN, WINGBEAT_GLOBAL, size

namespace wingbeat::device::functors {

/// For requests with `row_outputs`: see ends/functor_contract.hpp.
template <class Real>
class band_store {
 public:
  using numbers = band_numbers;
  using element = Real;
  static constexpr bool in_order = false;
  struct operands {
    WINGBEAT_GLOBAL const unsigned* first_bins;
    WINGBEAT_GLOBAL const unsigned* begins;
    WINGBEAT_GLOBAL const Real* weights;
    WINGBEAT_GLOBAL const complex<Real>* roots;  // [k], exp(2 pi i k / n_fft)

    template <class Visit>
    WINGBEAT_FN static void each(const numbers& n, Visit visit) {
      visit("first_bins", &operands::first_bins);
      visit("begins", &operands::begins);
      visit("weights", &operands::weights);
      if (n.spectrum.phase != 0) visit("roots", &operands::roots);
    }
  };

  WINGBEAT_FN band_store(const numbers& n, WINGBEAT_GLOBAL element* out, operands given, size row)
      : numbers_(n),
        out_(out + row * n.bands),
        bands_{given.first_bins, given.begins, given.weights},
        roots_(given.roots) {}
  static constexpr bool is_across = true;  // wide bands beside narrow ones would keep these waiting
  WINGBEAT_FN static constexpr size outputs(const numbers& n) { return n.bands; }
  WINGBEAT_FN complex<Real> prepared(size k, complex<Real> z) const {
    const complex<Real> bin = numbers_.spectrum.turned(z, k, roots_);
    return {numbers_.features.quantity(bin, numbers_.spectrum.is_middle(k)), Real(0)};
  }
  template <class Value>
  WINGBEAT_FN Real output(unsigned band, const Value& value) const {
    return numbers_.features.level(bands_.sum(band, [&](size k) { return value(unsigned(k)).re; }));
  }
  WINGBEAT_FN void store(size band, Real level) const { out_[band] = level; }

 private:
  numbers numbers_;
  WINGBEAT_GLOBAL element* out_;
  band_operands<Real> bands_;
  WINGBEAT_GLOBAL const complex<Real>* roots_;
};

}  // namespace wingbeat::device::functors
