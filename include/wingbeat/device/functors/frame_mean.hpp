// SPDX-License-Identifier: Apache-2.0
// Loads the means of frames: element 0 of row r is that of frame r, counted over all rows.
#pragma once

#include "wingbeat/device/functors/fixed.hpp"   // fixed
#include "wingbeat/device/functors/frames.hpp"  // frame_numbers, frame_samples
#include "wingbeat/device/port.hpp"             // WINGBEAT_FN, WINGBEAT_GLOBAL, size

namespace wingbeat::device::functors {

template <class Stored, class Real>
class frame_mean {
  using samples = frame_samples<Stored, Real>;

 public:
  using numbers = frame_numbers;
  using element = Stored;
  using value_type = typename samples::value_type;
  static constexpr bool in_order = false;
  struct operands {
    WINGBEAT_GLOBAL const unsigned* lengths;  // [row of samples]

    template <class Visit>
    WINGBEAT_FN static void each(const numbers& n, Visit visit) {
      if (n.is_ragged) visit("lengths", &operands::lengths);
    }
  };

  WINGBEAT_FN frame_mean(const numbers& n, WINGBEAT_GLOBAL const element* in, operands given,
                         size row)
      : samples_(n, in, given.lengths, row) {}
  WINGBEAT_FN value_type load(size) const { return samples_.mean(); }

 private:
  samples samples_;
};

}  // namespace wingbeat::device::functors
