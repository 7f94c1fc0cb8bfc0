// SPDX-License-Identifier: Apache-2.0
// Kernels of reals [channel][tap], to one tap of which a number of the channel's is added: the
// memory of tap_load and tap_store.
#pragma once

#include "wingbeat/device/port.hpp"  // WINGBEAT_FN, WINGBEAT_GLOBAL, size

namespace wingbeat::device::functors {

/// Row r is the kernel of channel r.
struct channel_taps_numbers {
  size length = 1;
  size origin = 0;  ///< The tap that leaves a signal where it is.
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

/// Element: Stored, const where it is read.
template <class Element>
struct channel_taps_operands {
  WINGBEAT_GLOBAL Element* skip;  ///< Of each channel.

  template <class Visit>
  WINGBEAT_FN static void each(const channel_taps_numbers& n, Visit visit) {
    if (n.has_skip) visit("skip", &channel_taps_operands::skip);
  }
};

}  // namespace wingbeat::device::functors
