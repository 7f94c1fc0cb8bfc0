// SPDX-License-Identifier: Apache-2.0
// A transform that may be absent: the last workgroup of a batch has teams left over.
#pragma once

#include "wingbeat/device/port.hpp"  // WINGBEAT_FN

namespace wingbeat::device::io {

/// A load or a store of another, if `exists`; otherwise loads give 0 and stores do nothing.
/// Absent teams so compute on zeros, and every thread still arrives at every barrier.
/// Memory: what `inner` touches; none if absent.
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
