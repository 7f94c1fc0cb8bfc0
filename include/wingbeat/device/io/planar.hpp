// SPDX-License-Identifier: Apache-2.0
// Complex numbers whose real and imaginary parts lie apart:  z[i] = re(i) + i im(i).
#pragma once

#include "wingbeat/device/complex.hpp"  // complex
#include "wingbeat/device/port.hpp"     // WINGBEAT_FN

namespace wingbeat::device::io {

/// A load and a store around two of reals:
///     io::planar{io::contiguous{re_plane}, io::contiguous{im_plane}}
/// Memory and guard: those of both, for i.
template <class Re, class Im>
struct planar {
  Re re;
  Im im;

  WINGBEAT_FN auto operator()(unsigned i) const { return complex<decltype(re(i))>{re(i), im(i)}; }
  template <class Real>
  WINGBEAT_FN void operator()(unsigned i, complex<Real> z) const {
    re(i, z.re);
    im(i, z.im);
  }
};
template <class Re, class Im>
planar(Re, Im) -> planar<Re, Im>;

}  // namespace wingbeat::device::io
