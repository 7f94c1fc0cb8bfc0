// SPDX-License-Identifier: Apache-2.0
// Loads pairs of signals and the gradients of their results as consecutive rows: row 2r has the
// signals of pair r, row 2r + 1 the gradients, which begin `origin` elements later.
#pragma once

#include "wingbeat/device/complex.hpp"               // complex
#include "wingbeat/device/functors/signal_load.hpp"  // signal_load, signal_pair_numbers
#include "wingbeat/device/port.hpp"                  // WINGBEAT_FN, WINGBEAT_GLOBAL, size

namespace wingbeat::device::functors {

struct correlated_numbers {
  signal_pair_numbers signals = {};  ///< `is_gated`: the signals.
  size origin = 0;
  bool are_gradients_gated = false;

  template <class Visit>
  WINGBEAT_FN void each(Visit visit) const {
    visit("signals.length", signals.length);
    visit("signals.channels", signals.channels);
    visit("signals.batch", signals.batch);
    visit("signals.is_gated", signals.is_gated);
    visit("signals.is_ragged", signals.is_ragged);
    visit("signals.are_alone", signals.are_alone);
    visit("signals.right_angle", signals.right_angle);
    visit("origin", origin);
    visit("are_gradients_gated", are_gradients_gated);
  }
};

template <class Stored, class Real>
class correlated_load {
 public:
  using numbers = correlated_numbers;
  using element = Stored;
  static constexpr bool in_order = false;
  struct operands {
    WINGBEAT_GLOBAL const element* gradients;  ///< The signals are the input.
    WINGBEAT_GLOBAL const element* gate;
    WINGBEAT_GLOBAL const element* gradient_gate;
    WINGBEAT_GLOBAL const unsigned* lengths;

    template <class Visit>
    WINGBEAT_FN static void each(const numbers& n, Visit visit) {
      visit("gradients", &operands::gradients);
      if (n.signals.is_gated) visit("gate", &operands::gate);
      if (n.are_gradients_gated) visit("gradient_gate", &operands::gradient_gate);
      if (n.signals.is_ragged) visit("lengths", &operands::lengths);
    }
  };

  WINGBEAT_FN correlated_load(const numbers& n, WINGBEAT_GLOBAL const element* in, operands given,
                              size row)
      : of_row_(row % 2 == 0 ? n.signals : gradients_of(n), row % 2 == 0 ? in : given.gradients,
                {row % 2 == 0 ? given.gate : given.gradient_gate, given.lengths}, row / 2),
        first_(row % 2 == 0 ? 0 : n.origin),
        length_(n.signals.length) {}
  WINGBEAT_FN complex<Real> load(size i) const {
    const size value = i - first_;  // wraps below 0
    if (value >= length_) return {Real(0), Real(0)};
    return of_row_.load(value);
  }
  WINGBEAT_FN void prefetch() const { of_row_.prefetch(); }

 private:
  WINGBEAT_FN static signal_pair_numbers gradients_of(const numbers& n) {
    signal_pair_numbers gradients = n.signals;
    gradients.is_gated = n.are_gradients_gated;
    return gradients;
  }

  signal_load<Stored, Real> of_row_;
  size first_, length_;
};

}  // namespace wingbeat::device::functors
