// SPDX-License-Identifier: Apache-2.0
// What is made of the bins of a spectrum: a power of their magnitude, and its logarithm.
#pragma once

#include "wingbeat/device/complex.hpp"  // complex
#include "wingbeat/device/port.hpp"     // WINGBEAT_FN, maths, size

namespace wingbeat::device::functors {

/// quantity = (max(|X|^2, power_floor) + power_offset)^(exponent / 2), twice that in bins that also
/// stand for their mirror image, if `doubles`;
/// level = gain ln(max(quantity, floor) + offset) + shift, if `has_log`; otherwise the quantity.
struct feature_numbers {
  double exponent = 0;  ///< 0: the bins themselves.
  double power_floor = 0, power_offset = 0;
  bool doubles = false;
  bool has_log = false;
  double floor = 0, offset = 0, gain = 1, shift = 0;

  template <class Visit>
  WINGBEAT_FN void each(Visit visit) const {
    visit("features.exponent", exponent);
    visit("features.power_floor", power_floor);
    visit("features.power_offset", power_offset);
    visit("features.doubles", doubles);
    visit("features.has_log", has_log);
    visit("features.floor", floor);
    visit("features.offset", offset);
    visit("features.gain", gain);
    visit("features.shift", shift);
  }

  template <class Real>
  WINGBEAT_FN Real quantity(complex<Real> z, bool is_double) const {
    const Real factor = doubles && is_double ? Real(2) : Real(1);
    if (exponent == 1 && power_floor == 0 && power_offset == 0) {
      return factor * maths::magnitude(z.re, z.im);
    }
    const Real power = raised(z);
    if (exponent == 2) return factor * power;
    if (exponent == 1) return factor * maths::square_root(power);
    return factor * maths::power(power, Real(exponent / 2));
  }
  /// Returns c of the quantity's gradient c z; 0 where the quantity does not change or is not
  /// differentiable.
  template <class Real>
  WINGBEAT_FN Real slope(complex<Real> z, bool is_double) const {
    const Real factor = (doubles && is_double ? 2 : 1) * Real(exponent);
    const Real square = z.re * z.re + z.im * z.im;
    if (square < Real(power_floor)) return 0;
    if (exponent == 2) return factor;
    if (exponent == 1 && power_offset == 0) {
      const Real length = maths::magnitude(z.re, z.im);
      return length > 0 ? factor / length : Real(0);
    }
    const Real power = raised(z);
    return power > 0 ? factor * maths::power(power, Real(exponent / 2 - 1)) : Real(0);
  }

  template <class Real>
  WINGBEAT_FN Real level(Real quantity) const {
    if (!has_log) return quantity;
    const Real most = quantity < Real(floor) ? Real(floor) : quantity;  // NaN stays
    return Real(gain) * maths::natural_log(most + Real(offset)) + Real(shift);
  }
  /// Returns the derivative of the level; 0 at the floor and below.
  template <class Real>
  WINGBEAT_FN Real level_slope(Real quantity) const {
    if (!has_log) return 1;
    return quantity > Real(floor) ? Real(gain) / (quantity + Real(offset)) : Real(0);
  }

 private:
  template <class Real>
  WINGBEAT_FN Real raised(complex<Real> z) const {
    const Real square = z.re * z.re + z.im * z.im;
    return (square < Real(power_floor) ? Real(power_floor) : square) + Real(power_offset);
  }
};

/// How the bins of a frame's transform become those of its spectrum: times a scale, and turned by
/// `phase` samples: exp(2 pi i k phase / n_fft).
struct spectrum_numbers {
  size n_fft = 1, bins = 1;
  size phase = 0;  ///< Below n_fft.
  double scale = 1;
  double middle = 1;        ///< Factor of bins other than 0 and n_fft / 2.
  bool is_inverse = false;  ///< Turns the other way.

  template <class Visit>
  WINGBEAT_FN void each(Visit visit) const {
    visit("spectrum.n_fft", n_fft);
    visit("spectrum.bins", bins);
    visit("spectrum.phase", phase);
    visit("spectrum.scale", scale);
    visit("spectrum.middle", middle);
    visit("spectrum.is_inverse", is_inverse);
  }

  /// Returns whether a bin also stands for its mirror image, in half spectra.
  WINGBEAT_FN bool is_middle(size k) const { return k != 0 && 2 * k != n_fft; }

  template <class Real>
  WINGBEAT_FN complex<Real> turned(complex<Real> z, size k,
                                   WINGBEAT_GLOBAL const complex<Real>* roots) const {
    if (phase != 0) {
      complex<Real> root = copied_from(roots + k * phase % n_fft);
      if (is_inverse) root = conj(root);
      z = z * root;
    }
    if (scale == 1 && middle == 1) return z;
    return scaled(z, Real(is_middle(k) ? scale * middle : scale));
  }
};

/// Bins of frames, and what is made of each.
struct bin_numbers {
  spectrum_numbers spectrum = {};
  feature_numbers features = {};

  template <class Visit>
  WINGBEAT_FN void each(Visit visit) const {
    spectrum.each(visit);
    features.each(visit);
  }
};

/// Sums over bands of what is made of each bin.
struct band_numbers : bin_numbers {
  size bands = 0;

  template <class Visit>
  WINGBEAT_FN void each(Visit visit) const {
    bin_numbers::each(visit);
    visit("bands", bands);
  }
};

}  // namespace wingbeat::device::functors
