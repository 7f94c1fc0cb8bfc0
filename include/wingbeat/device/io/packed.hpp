// SPDX-License-Identifier: Apache-2.0
// N reals as N/2 complex numbers, the form a real transform of half the length begins and ends
// with:  z[i] = x[2i] + i x[2i+1].
#pragma once

#include "wingbeat/device/complex.hpp"  // complex
#include "wingbeat/device/port.hpp"     // WINGBEAT_FN

namespace wingbeat::device::io {

/// A load and a store around a load and a store of reals, two for each element, in any layout and
/// with any guard, so a padded signal may end in the middle of a pair. If pairs are adjacent and
/// aligned, `adjacent_pairs` moves the same bytes at once.
/// Memory and guard: those of `inner` for 2i and 2i + 1.
template <class Inner>
struct packed {
  Inner inner;

  WINGBEAT_FN auto operator()(unsigned i) const {
    return complex<decltype(inner(i))>{inner(2 * i), inner(2 * i + 1)};
  }
  template <class Real>
  WINGBEAT_FN void operator()(unsigned i, complex<Real> z) const {
    inner(2 * i, z.re);
    inner(2 * i + 1, z.im);
  }
};
template <class Inner>
packed(Inner) -> packed<Inner>;

}  // namespace wingbeat::device::io
