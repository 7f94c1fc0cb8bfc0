// SPDX-License-Identifier: Apache-2.0
// Loads sums over bands of what is made of bins, and their gradients.
#pragma once

#include "wingbeat/device/functors/fixed.hpp"              // fixed
#include "wingbeat/device/functors/spectrum_features.hpp"  // band_numbers
#include "wingbeat/device/port.hpp"                        // WINGBEAT_FN, WINGBEAT_GLOBAL, size

namespace wingbeat::device::functors {

/// The bins of each band and their weights.
template <class Real>
struct band_operands {
  WINGBEAT_GLOBAL const unsigned* first_bins;  // [band]
  WINGBEAT_GLOBAL const unsigned* begins;      // [band + 1], of its weights below
  WINGBEAT_GLOBAL const Real* weights;

  template <class Visit>
  WINGBEAT_FN static void each(const band_numbers&, Visit visit) {
    visit("first_bins", &band_operands::first_bins);
    visit("begins", &band_operands::begins);
    visit("weights", &band_operands::weights);
  }

  /// Returns the sum over a band of its weights times quantity(bin).
  template <class Quantity>
  WINGBEAT_FN Real sum(size band, const Quantity& quantity) const {
    const unsigned begin = begins[band], count = begins[band + 1] - begin;
    Real total = 0;
    for (unsigned i = 0; i < count; ++i) {
      total += weights[begin + i] * quantity(first_bins[band] + i);
    }
    return total;
  }
};

/// Loads levels of bands, from quantities of bins: rows of frames.
template <class Real>
class band_load {
 public:
  using numbers = band_numbers;
  using element = Real;
  using operands = band_operands<Real>;
  static constexpr bool in_order = false;

  WINGBEAT_FN band_load(const numbers& n, WINGBEAT_GLOBAL const element* in, operands given,
                        size row)
      : features_(n.features), quantities_(in + row * n.spectrum.bins), given_(given) {}
  WINGBEAT_FN Real load(size band) const {
    return features_.level(given_.sum(band, [&](size k) { return quantities_[k]; }));
  }

 private:
  feature_numbers features_;
  WINGBEAT_GLOBAL const Real* quantities_;
  operands given_;
};

}  // namespace wingbeat::device::functors
