// SPDX-License-Identifier: Apache-2.0
// Loads the gradients with respect to sums over bands, from those of their levels.
#pragma once

#include "wingbeat/device/complex.hpp"             // complex, copied_from
#include "wingbeat/device/functors/band_load.hpp"  // band_operands, band_numbers
#include "wingbeat/device/functors/fixed.hpp"      // fixed
#include "wingbeat/device/port.hpp"                // WINGBEAT_FN, WINGBEAT_GLOBAL, size

namespace wingbeat::device::functors {

/// The buffer has the bins of frames.
template <class Real>
class band_gradient {
 public:
  using numbers = band_numbers;
  using element = complex<Real>;
  static constexpr bool in_order = false;
  struct operands {
    WINGBEAT_GLOBAL const unsigned* first_bins;
    WINGBEAT_GLOBAL const unsigned* begins;
    WINGBEAT_GLOBAL const Real* weights;
    WINGBEAT_GLOBAL const Real* gradients;  // [row][band], of the levels

    template <class Visit>
    WINGBEAT_FN static void each(const numbers&, Visit visit) {
      visit("first_bins", &operands::first_bins);
      visit("begins", &operands::begins);
      visit("weights", &operands::weights);
      visit("gradients", &operands::gradients);
    }
  };

  WINGBEAT_FN band_gradient(const numbers& n, WINGBEAT_GLOBAL const element* in, operands given,
                            size row)
      : numbers_(n),
        bins_(in + row * n.spectrum.bins),
        bands_{given.first_bins, given.begins, given.weights},
        gradients_(given.gradients + row * n.bands) {}
  WINGBEAT_FN Real load(size band) const {
    if (!numbers_.features.has_log) return gradients_[band];
    const Real sum = bands_.sum(band, [&](size k) {
      return numbers_.features.quantity(copied_from(bins_ + k), numbers_.spectrum.is_middle(k));
    });
    return gradients_[band] * numbers_.features.level_slope(sum);
  }

 private:
  numbers numbers_;
  WINGBEAT_GLOBAL const element* bins_;
  band_operands<Real> bands_;
  WINGBEAT_GLOBAL const Real* gradients_;
};

}  // namespace wingbeat::device::functors
