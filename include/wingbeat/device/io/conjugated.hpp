// SPDX-License-Identifier: Apache-2.0
// Complex conjugates of another load's elements, or of elements on their way to another store.
#pragma once

#include "wingbeat/device/complex.hpp"  // conj
#include "wingbeat/device/port.hpp"     // WINGBEAT_FN

namespace wingbeat::device::io {

/// A load or a store: the conjugate of element i of `inner`. Around both ends of a transform it
/// turns forward into inverse.  Memory and guard: those of `inner`.
template <class Inner>
struct conjugated {
  Inner inner;

  WINGBEAT_FN auto operator()(unsigned i) const { return conj(inner(i)); }
  template <class Value>
  WINGBEAT_FN void operator()(unsigned i, Value z) const {
    inner(i, conj(z));
  }
};
template <class Inner>
conjugated(Inner) -> conjugated<Inner>;
/// Lets braces conjugate twice; without it they would copy.
template <class Inner>
conjugated(conjugated<Inner>) -> conjugated<conjugated<Inner>>;

}  // namespace wingbeat::device::io
