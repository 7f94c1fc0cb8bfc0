// SPDX-License-Identifier: Apache-2.0
// Stores the real parts of rows as gradients of channels' kernels, and the tap at the origin as the
// gradient of the channel's skip too, because both are equal.
#pragma once

#include "wingbeat/device/bfloat.hpp"                 // bfloat
#include "wingbeat/device/complex.hpp"                // complex
#include "wingbeat/device/functors/channel_taps.hpp"  // channel_taps_numbers
#include "wingbeat/device/functors/fixed.hpp"         // fixed
#include "wingbeat/device/half.hpp"                   // half_float
#include "wingbeat/device/port.hpp"                   // WINGBEAT_FN, WINGBEAT_GLOBAL, size

namespace wingbeat::device::functors {

template <class Stored, class Real>
class tap_store {
 public:
  using numbers = channel_taps_numbers;
  using element = Stored;
  using operands = channel_taps_operands<Stored>;
  static constexpr bool in_order = false;

  WINGBEAT_FN tap_store(const numbers& n, WINGBEAT_GLOBAL element* out, operands given, size row)
      : taps_(out + row * n.length),
        skip_(given.skip + (n.has_skip ? row : 0)),
        length_(n.length),
        origin_(n.origin),
        adds_(n.right_angle > 0),
        is_limited_(n.right_angle > n.length),
        has_skip_(n.has_skip) {}
  WINGBEAT_FN void store(size i, complex<Real> z) const {
    if (is_limited_ && i >= length_) return;
    const Real sum = adds_ && z.im != 0 ? static_cast<Real>(taps_[i]) + z.re : z.re;
    taps_[i] = element(sum);
    if (has_skip_ && i == origin_) *skip_ = element(sum);
  }

 private:
  WINGBEAT_GLOBAL element* taps_;
  WINGBEAT_GLOBAL element* skip_;
  size length_, origin_;
  bool adds_, is_limited_, has_skip_;
};

}  // namespace wingbeat::device::functors
