// SPDX-License-Identifier: Apache-2.0
// Loads taps of filters as rows of complex numbers; for correlations reversed and conjugate,
// because a correlation is the convolution with these.
#pragma once

#include "wingbeat/device/complex.hpp"         // complex, conj, copied_from
#include "wingbeat/device/functors/fixed.hpp"  // fixed, no_operands
#include "wingbeat/device/port.hpp"            // WINGBEAT_FN, WINGBEAT_GLOBAL, size

namespace wingbeat::device::functors {

struct taps_numbers {
  size length = 1;
  bool are_reversed = false;

  template <class Visit>
  WINGBEAT_FN void each(Visit visit) const {
    visit("length", length);
    visit("are_reversed", are_reversed);
  }
};

/// Stored: Real or complex<Real>.
template <class Stored, class Real>
class taps {
 public:
  using numbers = taps_numbers;
  static constexpr bool in_order = true;
  using element = Stored;
  using operands = no_operands;

  WINGBEAT_FN taps(numbers n, WINGBEAT_GLOBAL const element* in, operands, size row)
      : taps_(in + row * n.length), numbers_(n) {}
  WINGBEAT_FN complex<Real> load(size i) const {
    return tap(taps_ + (numbers_.are_reversed ? numbers_.length - 1 - i : i));
  }

 private:
  WINGBEAT_FN complex<Real> tap(WINGBEAT_GLOBAL const Real* stored) const {
    return {*stored, Real(0)};
  }
  WINGBEAT_FN complex<Real> tap(WINGBEAT_GLOBAL const complex<Real>* stored) const {
    const complex<Real> z = copied_from(stored);
    if (numbers_.are_reversed) return conj(z);
    return z;
  }

  WINGBEAT_GLOBAL const element* taps_;
  numbers numbers_;
};

}  // namespace wingbeat::device::functors
