// SPDX-License-Identifier: Apache-2.0
// A filter bank's parameters of one spectrum.
#pragma once

#include "wingbeat/device/port.hpp"  // size

namespace wingbeat::device::channeliser {

/// One spectrum of one polarisation. Channel k of N is multiplied by
/// exp(2 pi i (phase + (k - N/2) slope)).
struct spectrum_entry {
  size first = 0;  ///< First number of its window, in the polarisation's plane.
  size time = 0;   ///< Output time; the dither depends on it.
  float phase_turns = 0;
  float slope_turns = 0;
  unsigned gains = 0;   ///< Index among the gains that apply during the heaps.
  unsigned follow = 1;  ///< This many spectra, from this one on, have windows a row apart.
};

}  // namespace wingbeat::device::channeliser
