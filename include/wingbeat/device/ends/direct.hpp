// SPDX-License-Identifier: Apache-2.0
// Ends of a pass whose threads load and store the elements that they hold.
#pragma once

#include "wingbeat/device/complex.hpp"    // complex
#include "wingbeat/device/ends/keep.hpp"  // keep
#include "wingbeat/device/port.hpp"       // WINGBEAT_FN, size

namespace wingbeat::device::ends {

/// Sets each x[r] to the element that the body wants there; 0 in lanes without a butterfly.
template <class Body, class Elements, class Real, unsigned E>
WINGBEAT_FN void load_direct(const Body& body, const Elements& elements, complex<Real> (&x)[E]) {
  const unsigned lane = elements.read_lane(body.lane_in());
  const bool inside = elements.reads(lane);
  WINGBEAT_UNROLL
  for (unsigned r = 0; r < E; ++r) {
    x[r] = {Real(0), Real(0)};
    if (inside && elements.has_element(body.number_in(r))) {
      const size first = elements.in(lane), offset = body.offset_in(r);
      x[r] = elements.read(first + offset, elements.index_in(lane, body.number_in(r), offset));
    }
  }
}

template <class Body, class Elements, class Real, unsigned E>
WINGBEAT_FN void store_direct(const Body& body, const Elements& elements,
                              const complex<Real> (&x)[E]) {
  const unsigned lane = body.lane_out();
  if (!Elements::keeps && !elements.has(lane)) return;
  WINGBEAT_UNROLL
  for (unsigned r = 0; r < E; ++r) {
    if (!elements.has_element(body.number_out(r))) continue;
    if constexpr (Elements::keeps) {
      keep(body, elements, lane, body.number_out(r), x[r]);
    } else {
      const size first = elements.out(lane), offset = body.offset_out(r);
      elements.write(first + offset, elements.index_out(lane, body.number_out(r), offset), x[r]);
    }
  }
}

}  // namespace wingbeat::device::ends
