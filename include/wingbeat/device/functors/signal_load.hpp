// SPDX-License-Identifier: Apache-2.0
// Loads pairs of real signals as rows of complex numbers, times a gate.
#pragma once

#include "wingbeat/device/bfloat.hpp"                 // bfloat
#include "wingbeat/device/complex.hpp"                // complex
#include "wingbeat/device/functors/fixed.hpp"         // fixed
#include "wingbeat/device/functors/signal_pairs.hpp"  // signal_pair
#include "wingbeat/device/half.hpp"                   // half_float
#include "wingbeat/device/port.hpp"                   // WINGBEAT_FN, WINGBEAT_GLOBAL, size

namespace wingbeat::device::functors {

template <class Stored, class Real>
class signal_load {
 public:
  using numbers = signal_pair_numbers;
  using element = Stored;
  using operands = signal_pair_operands<Stored>;
  static constexpr bool in_order = false;

  WINGBEAT_FN signal_load(const numbers& n, WINGBEAT_GLOBAL const element* in, operands given,
                          size row)
      : in_(in), pair_(n, given, row) {}
  WINGBEAT_FN complex<Real> load(size i) const {
    return {pair_.has_first(i) ? value(pair_.first(i)) : Real(0),
            pair_.has_second(i) ? value(pair_.second(i)) : Real(0)};
  }
  WINGBEAT_FN void prefetch() const { pair_.prefetch(in_); }

 private:
  WINGBEAT_FN Real value(size place) const {
    return pair_.gated(place, static_cast<Real>(in_[place]));
  }

  WINGBEAT_GLOBAL const element* in_;
  signal_pair<Stored, Real> pair_;
};

}  // namespace wingbeat::device::functors
