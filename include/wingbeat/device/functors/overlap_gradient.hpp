// SPDX-License-Identifier: Apache-2.0
// Loads the gradient with respect to sums of weighted frames that overlap, from that of the samples
// that were made by dividing them.
#pragma once

#include "wingbeat/device/functors/fixed.hpp"         // fixed
#include "wingbeat/device/functors/overlap_load.hpp"  // overlap_numbers, each_frame_over, times
#include "wingbeat/device/port.hpp"                   // WINGBEAT_FN, WINGBEAT_GLOBAL, size

namespace wingbeat::device::functors {

/// Value: Real or complex<Real>. Row: a row of samples.
template <class Value, class Real>
class overlap_gradient {
 public:
  using numbers = overlap_numbers;
  using element = Value;
  static constexpr bool in_order = true;
  struct operands {
    WINGBEAT_GLOBAL const Real* window;       // [j]
    WINGBEAT_GLOBAL const unsigned* lengths;  // [row]

    template <class Visit>
    WINGBEAT_FN static void each(const numbers& n, Visit visit) {
      visit("window", &operands::window);
      if (n.is_ragged) visit("lengths", &operands::lengths);
    }
  };

  WINGBEAT_FN overlap_gradient(const numbers& n, WINGBEAT_GLOBAL const element* in, operands given,
                               size row)
      : numbers_(n),
        gradients_(in + row * n.length),
        window_(given.window),
        length_(n.is_ragged ? given.lengths[row] : n.length),
        count_(n.is_ragged ? n.frames_of(length_) : n.frames) {}
  WINGBEAT_FN Value load(size i) const {
    Real squares = 0;
    if (i < length_) {
      each_frame_over(numbers_, numbers_.before + i, count_, [&](size, size of_frame) {
        const Real weight = window_[of_frame - numbers_.window_at];
        squares += weight * weight;
      });
    }
    if (squares > Real(numbers_.least)) return times(gradients_[i], 1 / squares);
    return Value{};  // no ?: of both, whose address spaces differ in OpenCL
  }

 private:
  numbers numbers_;
  WINGBEAT_GLOBAL const element* gradients_;
  WINGBEAT_GLOBAL const Real* window_;
  size length_, count_;
};

}  // namespace wingbeat::device::functors
