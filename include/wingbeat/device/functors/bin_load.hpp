// SPDX-License-Identifier: Apache-2.0
// Loads the bins of frames for the inverse transform; or the gradient with respect to them, from
// the gradient of what was made of them.
#pragma once

#include "wingbeat/device/functors/fixed.hpp"              // fixed
#include "wingbeat/device/functors/spectrum_features.hpp"  // band_numbers
#include "wingbeat/device/port.hpp"                        // WINGBEAT_FN, WINGBEAT_GLOBAL, size

namespace wingbeat::device::functors {

/// Bins that were stored, and the functor's buffer, are of `complex<Real>`. Without features, the
/// buffer has bins; otherwise the bins that features were made of, and operands have gradients.
/// Without bands, gradients are those of each bin.
struct bin_load_numbers : band_numbers {
  size frames_of_gradient = 1;  ///< Rows that share one row of gradients.

  template <class Visit>
  WINGBEAT_FN void each(Visit visit) const {
    band_numbers::each(visit);
    visit("frames_of_gradient", frames_of_gradient);
  }
};

template <class Real>
class bin_load {
 public:
  using numbers = bin_load_numbers;
  using element = complex<Real>;
  static constexpr bool in_order = true;
  struct operands {
    WINGBEAT_GLOBAL const complex<Real>* roots;        // [k], exp(2 pi i k / n_fft)
    WINGBEAT_GLOBAL const Real* gradients;             // [row][bin], or [row][band]
    WINGBEAT_GLOBAL const unsigned* begins;            // [bin + 1], of its entries below
    WINGBEAT_GLOBAL const unsigned* numbers_of_bands;  // [entry]
    WINGBEAT_GLOBAL const Real* weights;               // [entry]

    template <class Visit>
    WINGBEAT_FN static void each(const numbers& n, Visit visit) {
      if (n.spectrum.phase != 0) visit("roots", &operands::roots);
      if (n.features.exponent != 0) visit("gradients", &operands::gradients);
      if (n.bands == 0) return;
      visit("begins", &operands::begins);
      visit("numbers_of_bands", &operands::numbers_of_bands);
      visit("weights", &operands::weights);
    }
  };

  WINGBEAT_FN bin_load(const numbers& n, WINGBEAT_GLOBAL const element* in, operands given,
                       size row)
      : numbers_(n), in_(in + row * n.spectrum.bins), given_(given) {
    if (n.features.exponent != 0)
      given_.gradients += row / n.frames_of_gradient * (n.bands == 0 ? n.spectrum.bins : n.bands);
  }
  WINGBEAT_FN complex<Real> load(size k) const {
    complex<Real> z = copied_from(in_ + k);
    if (numbers_.features.exponent != 0) {
      z = scaled(z, gradient(z, k) * numbers_.features.slope(z, numbers_.spectrum.is_middle(k)));
    }
    return numbers_.spectrum.turned(z, k, given_.roots);
  }

 private:
  /// Returns the gradient with respect to the quantity of bin k.
  WINGBEAT_FN Real gradient(complex<Real> z, size k) const {
    if (numbers_.bands == 0) {
      const feature_numbers& features = numbers_.features;
      const Real quantity = features.quantity(z, numbers_.spectrum.is_middle(k));
      return given_.gradients[k] * features.level_slope(quantity);
    }
    Real sum = 0;
    for (unsigned e = given_.begins[k]; e < given_.begins[k + 1]; ++e) {
      sum += given_.weights[e] * given_.gradients[given_.numbers_of_bands[e]];
    }
    return sum;
  }

  numbers numbers_;
  WINGBEAT_GLOBAL const element* in_;
  operands given_;
};

}  // namespace wingbeat::device::functors
