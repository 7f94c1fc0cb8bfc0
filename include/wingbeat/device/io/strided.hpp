// SPDX-License-Identifier: Apache-2.0
// Elements a stride apart: a column, a channel of an interleaved signal, every n-th sample.
#pragma once

#include "wingbeat/device/io/read_only.hpp"  // is_read_only
#include "wingbeat/device/port.hpp"          // WINGBEAT_FN, size

namespace wingbeat::device::io {

/// A load and, unless the pointer is const, a store: element i is address[i stride], in 64 bits.
/// Memory: touches only address[i stride].  Guard: none.
template <class Pointer>
struct strided {
  Pointer address;
  size stride;

  WINGBEAT_FN auto operator()(unsigned i) const { return address[i * stride]; }
  template <class Value>
  WINGBEAT_FN void operator()(unsigned i, Value z) const {
    static_assert(!is_read_only<decltype(address[i * stride])>,
                  "nothing can be stored through a pointer to const; give the store a pointer to "
                  "elements that are not const");
    address[i * stride] = z;
  }
};
template <class Pointer, class Stride>
strided(Pointer, Stride) -> strided<Pointer>;

}  // namespace wingbeat::device::io
