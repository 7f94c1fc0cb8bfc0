// SPDX-License-Identifier: Apache-2.0
// What a filter bank knows of one spectrum.
#pragma once

#include <cstdint>  // uint32_t, uint64_t

namespace wingbeat::channelising {

/// One spectrum of one polarisation. Bin k of channels N is multiplied by
/// exp(2 pi i (phase + (k - N/2) slope)).
struct spectrum_entry {
  std::uint64_t first = 0;  ///< First number of its window, in the polarisation's plane.
  std::uint64_t time = 0;   ///< Output time, which the dither depends on.
  float phase_turns = 0;
  float slope_turns = 0;
  std::uint32_t gains = 0;   ///< Which of the gains that are in force during the heaps.
  std::uint32_t follow = 1;  ///< So many spectra, from this one on, have windows a row apart.
};

}  // namespace wingbeat::channelising
