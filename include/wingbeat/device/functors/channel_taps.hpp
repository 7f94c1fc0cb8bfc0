// SPDX-License-Identifier: Apache-2.0
// Real kernels [channel][tap], with a number per channel that is added to one tap: the memory of
// tap_load and tap_store.
#pragma once

#include "wingbeat/device/port.hpp"  // WINGBEAT_FN, WINGBEAT_GLOBAL, size

namespace wingbeat::device::functors {

/// Row r is the kernel of channel r.
struct channel_taps_numbers {
  size length = 1;
  size origin = 0;  ///< The tap that leaves a signal in place.
  bool has_skip = false;
  size right_angle = 0;  ///< Values of a row by right angles, see `signal_pair_numbers`.

  template <class Visit>
  WINGBEAT_FN void each(Visit visit) const {
    visit("length", length);
    visit("origin", origin);
    visit("has_skip", has_skip);
    visit("right_angle", right_angle);
  }
};

/// Element: Stored; const for loads.
template <class Element>
struct channel_taps_operands {
  WINGBEAT_GLOBAL Element* skip;  ///< One per channel.

  template <class Visit>
  WINGBEAT_FN static void each(const channel_taps_numbers& n, Visit visit) {
    if (n.has_skip) visit("skip", &channel_taps_operands::skip);
  }
};

}  // namespace wingbeat::device::functors
