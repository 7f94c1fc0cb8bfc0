// SPDX-License-Identifier: Apache-2.0
// Stores the bins of frames, or what is made of each.
#pragma once

#include "wingbeat/device/bfloat.hpp"                      // bfloat
#include "wingbeat/device/functors/fixed.hpp"              // fixed
#include "wingbeat/device/functors/spectrum_features.hpp"  // bin_numbers
#include "wingbeat/device/half.hpp"                        // half_float
#include "wingbeat/device/port.hpp"                        // WINGBEAT_FN, WINGBEAT_GLOBAL, size

namespace wingbeat::device::functors {

/// Stored: complex<Real> for bins, otherwise a real number.
template <class Stored, class Real>
class bin_store {
 public:
  using numbers = bin_numbers;
  using element = Stored;
  static constexpr bool in_order = true;
  struct operands {
    WINGBEAT_GLOBAL const complex<Real>* roots;  // [k], exp(2 pi i k / n_fft)

    template <class Visit>
    WINGBEAT_FN static void each(const numbers& n, Visit visit) {
      if (n.spectrum.phase != 0) visit("roots", &operands::roots);
    }
  };

  WINGBEAT_FN bin_store(const numbers& n, WINGBEAT_GLOBAL element* out, operands given, size row)
      : numbers_(n), out_(out + row * n.spectrum.bins), roots_(given.roots) {}
  WINGBEAT_FN void store(size k, complex<Real> z) const {
    put(out_ + k, numbers_.spectrum.turned(z, k, roots_), numbers_.spectrum.is_middle(k));
  }
  /// Stores value(i) as element `first` + i for each i below `count`.
  template <class Value>
  WINGBEAT_FN void store_run(size first, size count, const Value& value) const {
    if (!are_plain_powers()) {
      for (size i = 0; i < count; ++i) store(first + i, value(i));
    } else if constexpr (sizeof(Stored) < sizeof(complex<Real>)) {  // no bins
      WINGBEAT_GLOBAL Stored* const out = out_ + first;
      for (size i = 0; i < count; ++i) {
        const complex<Real> z = value(i);
        out[i] = Stored(z.re * z.re + z.im * z.im);
      }
    }
  }

 private:
  /// Returns whether |X|^2 is stored as it is.
  WINGBEAT_FN bool are_plain_powers() const {
    const spectrum_numbers& spectrum = numbers_.spectrum;
    const feature_numbers& features = numbers_.features;
    const bool is_scaled = spectrum.scale != 1 || spectrum.middle != 1 || spectrum.phase != 0;
    const bool is_changed = features.power_floor != 0 || features.power_offset != 0 ||
                            features.doubles || features.has_log;
    return features.exponent == 2 && !is_scaled && !is_changed;
  }
  WINGBEAT_FN void put(WINGBEAT_GLOBAL complex<Real>* place, complex<Real> z, bool) const {
    copy_to(place, z);
  }
  template <class Number>
  WINGBEAT_FN void put(WINGBEAT_GLOBAL Number* place, complex<Real> z, bool is_middle) const {
    const feature_numbers& features = numbers_.features;
    *place = Number(features.level(features.quantity(z, is_middle)));
  }

  numbers numbers_;
  WINGBEAT_GLOBAL element* out_;
  WINGBEAT_GLOBAL const complex<Real>* roots_;
};

}  // namespace wingbeat::device::functors
