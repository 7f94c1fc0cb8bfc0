// SPDX-License-Identifier: Apache-2.0
// A transform that may be absent, because the last workgroup of a batch may have spare teams.
#pragma once

#include "wingbeat/device/port.hpp"  // WINGBEAT_FN

namespace wingbeat::device::io {

/// A load or a store by `inner` if `exists`; otherwise loads return 0 and stores do nothing. So
/// teams without a transform compute on zeros, and every thread still arrives at every barrier.
/// Memory: that of `inner`; none if absent.
template <class Inner>
struct guarded {
  Inner inner;
  bool exists;

  WINGBEAT_FN auto operator()(unsigned i) const {
    decltype(inner(i)) z{};
    if (exists) z = inner(i);
    return z;
  }
  template <class Value>
  WINGBEAT_FN void operator()(unsigned i, Value z) const {
    if (exists) inner(i, z);
  }
};
template <class Inner>
guarded(Inner, bool) -> guarded<Inner>;

}  // namespace wingbeat::device::io
