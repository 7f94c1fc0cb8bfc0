// SPDX-License-Identifier: Apache-2.0
// Elements side by side: element i lies at address[i].
#pragma once

#include "wingbeat/device/io/read_only.hpp"  // is_read_only
#include "wingbeat/device/port.hpp"          // WINGBEAT_FN

namespace wingbeat::device::io {

/// A load and, unless the pointer is const, a store: element i is address[i]. The pointer may be of
/// device memory, local memory or a thread's own memory; elements may be complex or real.
/// Memory: touches only address[i].  Guard: none; see `guarded`, `padded` and `cropped`.
template <class Pointer>
struct contiguous {
  Pointer address;

  WINGBEAT_FN auto operator()(unsigned i) const { return address[i]; }
  template <class Value>
  WINGBEAT_FN void operator()(unsigned i, Value z) const {
    static_assert(!is_read_only<decltype(address[i])>,
                  "nothing can be stored through a pointer to const; give the store a pointer to "
                  "elements that are not const");
    address[i] = z;
  }
};
template <class Pointer>
contiguous(Pointer) -> contiguous<Pointer>;

}  // namespace wingbeat::device::io
