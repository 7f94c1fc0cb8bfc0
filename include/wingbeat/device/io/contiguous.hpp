// SPDX-License-Identifier: Apache-2.0
// Elements side by side: element i lies at at[i].
#pragma once

#include "wingbeat/device/io/read_only.hpp"  // is_read_only
#include "wingbeat/device/port.hpp"          // WINGBEAT_FN

namespace wingbeat::device::io {

/// A load and, unless the pointer is const, a store: element i is at[i]. The pointer may be of
/// device memory, local memory or a thread's own memory; elements may be complex or real.
/// Memory: touches only at[i].  Guard: none; see `guarded`, `padded` and `cropped`.
template <class Pointer>
struct contiguous {
  Pointer at;

  WINGBEAT_FN auto operator()(unsigned i) const { return at[i]; }
  template <class Value>
  WINGBEAT_FN void operator()(unsigned i, Value z) const {
    static_assert(!is_read_only<decltype(at[i])>,
                  "nothing can be stored through a pointer to const; give the store a pointer to "
                  "elements that are not const");
    at[i] = z;
  }
};
template <class Pointer>
contiguous(Pointer) -> contiguous<Pointer>;

}  // namespace wingbeat::device::io
