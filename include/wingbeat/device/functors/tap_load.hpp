// SPDX-License-Identifier: Apache-2.0
// Loads kernels of channels as rows of complex numbers, with the channel's skip added to the tap at
// the origin: k * x + d x is (k + d at the origin) * x.
#pragma once

#include "wingbeat/device/bfloat.hpp"                 // bfloat
#include "wingbeat/device/complex.hpp"                // complex
#include "wingbeat/device/functors/channel_taps.hpp"  // channel_taps_numbers
#include "wingbeat/device/functors/fixed.hpp"         // fixed
#include "wingbeat/device/half.hpp"                   // half_float
#include "wingbeat/device/port.hpp"                   // WINGBEAT_FN, WINGBEAT_GLOBAL, size

namespace wingbeat::device::functors {

template <class Stored, class Real>
class tap_load {
 public:
  using numbers = channel_taps_numbers;
  using element = Stored;
  using operands = channel_taps_operands<const Stored>;
  static constexpr bool in_order = true;

  WINGBEAT_FN tap_load(const numbers& n, WINGBEAT_GLOBAL const element* in, operands given,
                       size row)
      : taps_(in + row * n.length),
        length_(n.length),
        origin_(n.origin),
        is_limited_(n.right_angle > n.length),
        skip_(n.has_skip ? static_cast<Real>(given.skip[row]) : Real(0)) {}
  WINGBEAT_FN complex<Real> load(size i) const {
    if (is_limited_ && i >= length_) return {Real(0), Real(0)};
    const Real tap = static_cast<Real>(taps_[i]);
    return {i == origin_ ? tap + skip_ : tap, Real(0)};
  }

 private:
  WINGBEAT_GLOBAL const element* taps_;
  size length_, origin_;
  bool is_limited_;
  Real skip_;
};

}  // namespace wingbeat::device::functors
