// SPDX-License-Identifier: Apache-2.0
// Zeros around a signal, without storing them:  x[i] = inner(i - first) in [first, first + valid).
#pragma once

#include "wingbeat/device/port.hpp"  // WINGBEAT_FN

namespace wingbeat::device::io {

/// A load: element i is inner(i - first) for first <= i < first + valid, and 0 elsewhere; first is
/// 0 unless given. So `padded{load, valid}` is a signal of `valid` elements and zeros behind it.
/// Memory: what `inner` touches for 0 .. valid - 1; elements outside are never loaded.
template <class Load>
struct padded {
  Load inner;
  unsigned valid;
  unsigned first = 0;

  WINGBEAT_FN auto operator()(unsigned i) const {
    decltype(inner(i)) z{};
    const unsigned of_signal = i - first;  // wraps round, above any `valid`, before it
    if (of_signal < valid) z = inner(of_signal);
    return z;
  }
};
template <class Load, class Valid>
padded(Load, Valid) -> padded<Load>;
template <class Load, class Valid, class First>
padded(Load, Valid, First) -> padded<Load>;

}  // namespace wingbeat::device::io
