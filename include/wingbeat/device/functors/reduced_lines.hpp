// SPDX-License-Identifier: Apache-2.0
// Lines of reals whose elements a functor of yours reduces; see fused_lines.hpp.
#pragma once

#include "wingbeat/device/ends/reduce.hpp"           // fused_reduce
#include "wingbeat/device/functors/fused_lines.hpp"  // fused_operands
#include "wingbeat/device/port.hpp"                  // WINGBEAT_FN, WINGBEAT_GLOBAL, size

namespace wingbeat::device::functors {

/// A memory for the partial result of a thread.
template <class Functor, class As>
class fused_reducer {
  using yours = ends::fused_reduce<Functor, As>;

 public:
  using element = typename yours::element;
  using partial = typename yours::partial;
  using target = partial&;

  WINGBEAT_FN fused_reducer(partial& sum, const fused_operands<Functor, typename As::real>& given)
      : sum_(sum), given_(given.blocks, given.yours) {}

  WINGBEAT_FN static partial start() { return Functor::start(); }
  WINGBEAT_FN static void combine(partial& sum, partial other) { Functor::combine(sum, other); }

  WINGBEAT_FN void put(distance place, typename As::real value) const {
    const ends::spot found = ends::spot_of_real<As>(first_ + size(place));
    given_.of_partial(sum_, found.row).store(found.i, value);
  }
  WINGBEAT_FN void finish(WINGBEAT_GLOBAL typename yours::element* out) const {
    given_.of_partial(sum_, first_ / As::length).finish(out);
  }
  WINGBEAT_FN fused_reducer from(size place) const {
    fused_reducer later = *this;
    later.first_ += place;
    return later;
  }

 private:
  partial& sum_;
  ends::fused_given<Functor, As> given_;
  size first_ = 0;
};

}  // namespace wingbeat::device::functors
