// SPDX-License-Identifier: Apache-2.0
// Element i times a real number: 1/N after a transform, or a calibration before it.
#pragma once

#include "wingbeat/device/complex.hpp"  // complex
#include "wingbeat/device/half.hpp"     // half_float, narrow, widen
#include "wingbeat/device/port.hpp"     // WINGBEAT_FN

namespace wingbeat::device::io {

template <class Real, class Factor>
WINGBEAT_FN complex<Real> product(complex<Real> z, Factor factor) {
  using arithmetic = decltype(widen(z).re);
  return narrow<Real>(device::scaled(widen(z), static_cast<arithmetic>(factor)));
}
template <class Real, class Factor>
WINGBEAT_FN Real product(Real x, Factor factor) {
  return product(complex<Real>{x, Real{}}, factor).re;
}

/// A load or a store: element i of `inner`, complex or real, times `factor`. In fp16 the product is
/// rounded once; `factor` itself is rounded to fp16 only for pairs.  Memory and guard: those of
/// `inner`.
template <class Inner, class Factor>
struct scaled {
  Inner inner;
  Factor factor;

  WINGBEAT_FN auto operator()(unsigned i) const { return product(inner(i), factor); }
  template <class Value>
  WINGBEAT_FN void operator()(unsigned i, Value z) const {
    inner(i, product(z, factor));
  }
};
template <class Inner, class Factor>
scaled(Inner, Factor) -> scaled<Inner, Factor>;

}  // namespace wingbeat::device::io
