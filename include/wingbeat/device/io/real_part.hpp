// SPDX-License-Identifier: Apache-2.0
// Real numbers as complex ones: loaded with an imaginary part of 0, stored without it.
#pragma once

#include "wingbeat/device/complex.hpp"  // complex
#include "wingbeat/device/port.hpp"     // WINGBEAT_FN

namespace wingbeat::device::io {

/// A load and a store around a load and a store of reals: element i is inner(i) + 0 i; a store
/// keeps the real part of z and drops the imaginary part.  Memory and guard: those of `inner`.
template <class Inner>
struct real_part {
  Inner inner;

  WINGBEAT_FN auto operator()(unsigned i) const {
    using real = decltype(inner(i));
    return complex<real>{inner(i), real{}};
  }
  template <class Real>
  WINGBEAT_FN void operator()(unsigned i, complex<Real> z) const {
    inner(i, z.re);
  }
};
template <class Inner>
real_part(Inner) -> real_part<Inner>;

}  // namespace wingbeat::device::io
