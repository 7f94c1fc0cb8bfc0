// SPDX-License-Identifier: Apache-2.0
// Part of an output, the rest dropped:  inner(i - first, z) for i in [first, first + count).
#pragma once

#include "wingbeat/device/port.hpp"  // WINGBEAT_FN

namespace wingbeat::device::io {

/// A store: passes elements first .. first + count - 1 on as 0 .. count - 1, and drops the others.
/// Memory: what `inner` touches for 0 .. count - 1.  Guard: none beyond that.
template <class Store>
struct cropped {
  Store inner;
  unsigned first;
  unsigned count;

  template <class Value>
  WINGBEAT_FN void operator()(unsigned i, Value z) const {
    const unsigned kept = i - first;  // wraps round, above any `count`, before the first
    if (kept < count) inner(kept, z);
  }
};
template <class Store, class First, class Count>
cropped(Store, First, Count) -> cropped<Store>;

}  // namespace wingbeat::device::io
