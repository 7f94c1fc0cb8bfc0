// SPDX-License-Identifier: Apache-2.0
// Stores rows of complex numbers as pairs of real signals, times a gate.
#pragma once

#include "wingbeat/device/bfloat.hpp"                 // bfloat
#include "wingbeat/device/complex.hpp"                // complex
#include "wingbeat/device/functors/fixed.hpp"         // fixed
#include "wingbeat/device/functors/signal_pairs.hpp"  // signal_pair
#include "wingbeat/device/half.hpp"                   // half_float
#include "wingbeat/device/port.hpp"                   // WINGBEAT_FN, WINGBEAT_GLOBAL, size

namespace wingbeat::device::functors {

template <class Stored, class Real>
class signal_store {
 public:
  using numbers = signal_pair_numbers;
  using element = Stored;
  using operands = signal_pair_operands<Stored>;
  static constexpr bool in_order = false;

  WINGBEAT_FN signal_store(const numbers& n, WINGBEAT_GLOBAL element* out, operands given, size row)
      : out_(out), pair_(n, given, row), is_single_(n.right_angle > 0) {}
  WINGBEAT_FN void store(size i, complex<Real> z) const {
    if (is_single_ && z.im != 0) {
      if (pair_.has_first(i)) add(pair_.first(i), z.re);
      return;
    }
    if (pair_.has_first(i)) put(pair_.first(i), z.re);
    if (pair_.has_second(i)) put(pair_.second(i), z.im);
  }

 private:
  WINGBEAT_FN void add(size place, Real value) const {
    out_[place] = element(static_cast<Real>(out_[place]) + pair_.gated(place, value));
  }
  WINGBEAT_FN void put(size place, Real value) const {
    out_[place] = element(pair_.gated(place, value));
  }

  WINGBEAT_GLOBAL element* out_;
  signal_pair<Stored, Real> pair_;
  bool is_single_;
};

}  // namespace wingbeat::device::functors
