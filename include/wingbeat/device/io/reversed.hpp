// SPDX-License-Identifier: Apache-2.0
// Reversed signals, in both usual meanings.
#pragma once

#include "wingbeat/device/port.hpp"  // WINGBEAT_FN

namespace wingbeat::device::io {

/// A load or a store: element i is inner(-i mod length), so that element 0 stays. Use this for
/// correlation: its transform has bin k at -k mod length, which for a real signal is the conjugate
/// of the signal's bin k. Then  FFT(a) FFT(reversed b)  is the transform of
///     c[m] = sum_j a[j + m] b[j],  lag 0 at 0, negative lags at the end.
/// Pad a signal first, then reverse it: `reversed{padded{load, valid}, length}`.
/// Memory: what `inner` touches for 0 .. length - 1.  Guard: none; i < length, which may be any.
template <class Inner>
struct reversed {
  Inner inner;
  unsigned length;

  WINGBEAT_FN auto operator()(unsigned i) const { return inner(i == 0 ? 0 : length - i); }
  template <class Value>
  WINGBEAT_FN void operator()(unsigned i, Value z) const {
    inner(i == 0 ? 0 : length - i, z);
  }
};
template <class Inner, class Length>
reversed(Inner, Length) -> reversed<Inner>;

/// A load or a store: element i is inner(length - 1 - i), the last first. Flip a signal before
/// padding it: `padded{flipped{load, valid}, valid}`; a product with its transform then has lag 0
/// at valid - 1, so that no lag of a linear correlation wraps round.
/// Memory: what `inner` touches for 0 .. length - 1.  Guard: none; i < length, which may be any.
template <class Inner>
struct flipped {
  Inner inner;
  unsigned length;

  WINGBEAT_FN auto operator()(unsigned i) const { return inner(length - 1 - i); }
  template <class Value>
  WINGBEAT_FN void operator()(unsigned i, Value z) const {
    inner(length - 1 - i, z);
  }
};
template <class Inner, class Length>
flipped(Inner, Length) -> flipped<Inner>;

}  // namespace wingbeat::device::io
