// SPDX-License-Identifier: Apache-2.0
// Loads the means of weighted frames, which the adjoint of removing means subtracts: element 0 of
// row r is that of frame r.
#pragma once

#include "wingbeat/device/functors/fixed.hpp"   // fixed
#include "wingbeat/device/functors/frames.hpp"  // frame_numbers, times
#include "wingbeat/device/port.hpp"             // WINGBEAT_FN, WINGBEAT_GLOBAL, size

namespace wingbeat::device::functors {

/// Value: Real or complex<Real>.
template <class Value, class Real>
class overlap_mean {
 public:
  using numbers = frame_numbers;
  using element = Value;
  static constexpr bool in_order = false;
  struct operands {
    WINGBEAT_GLOBAL const Real* window;

    template <class Visit>
    WINGBEAT_FN static void each(const numbers&, Visit visit) {
      visit("window", &operands::window);
    }
  };

  WINGBEAT_FN overlap_mean(const numbers& n, WINGBEAT_GLOBAL const element* in, operands given,
                           size row)
      : frame_(in + row * n.n_fft + n.window_at), window_(given.window), count_(n.window) {}
  WINGBEAT_FN Value load(size) const {
    Value sum{};
    for (size j = 0; j < count_; ++j) sum = sum + times(frame_[j], window_[j]);
    return times(sum, 1 / Real(count_));
  }

 private:
  WINGBEAT_GLOBAL const element* frame_;
  WINGBEAT_GLOBAL const Real* window_;
  size count_;
};

}  // namespace wingbeat::device::functors
