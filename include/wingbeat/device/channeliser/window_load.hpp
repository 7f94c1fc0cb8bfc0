// SPDX-License-Identifier: Apache-2.0
// A bank's filters of complex numbers as the load of a transform: element i of a row is the sum
// over taps m of w[m Length + i] x[m Length + i], of the row's window x.
#pragma once

#include "wingbeat/device/channeliser/spectrum_entry.hpp"  // spectrum_entry
#include "wingbeat/device/complex.hpp"                     // complex
#include "wingbeat/device/port.hpp"                        // WINGBEAT_FN, WINGBEAT_GLOBAL, size

namespace wingbeat::device::channeliser {

/// Rows are [polarisation][spectrum], `Spectra` per polarisation. The numbers of polarisations are
/// `Plane` apart.
template <unsigned Length, unsigned Taps, size Spectra, size Plane>
struct window_load {
  using element = complex<float>;
  static constexpr bool in_order = false;
  struct operands {
    WINGBEAT_GLOBAL const spectrum_entry* spectra;
    WINGBEAT_GLOBAL const float* weights;
  };

  WINGBEAT_FN static element load(WINGBEAT_GLOBAL const element* in, operands given, size row,
                                  size i) {
    WINGBEAT_GLOBAL const element* const window =
        in + row / Spectra * Plane + given.spectra[row].first + i;
    element sum{};
    for (unsigned m = 0; m < Taps; ++m) {
      sum =
          sum + scaled(copied_from(window + m * size(Length)), given.weights[m * size(Length) + i]);
    }
    return sum;
  }
};

}  // namespace wingbeat::device::channeliser
