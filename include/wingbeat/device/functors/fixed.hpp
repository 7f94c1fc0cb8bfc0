// SPDX-License-Identifier: Apache-2.0
// A functor of this folder with its numbers as constants of a kernel. Functors are constructed for
// a row from numbers and operands, so a process that knows these at run time uses the same text:
//
//     functors::score<float, double> scores{numbers, keys, operands, row};
//     scores.store(i, value);
//
// The policy is generated:
//
//     struct policy {
//       using functor = functors::score<float, double>;
//       WINGBEAT_FN static constexpr functor::numbers numbers();   // each by its name
//       struct operands { .. };                                    // those that a run gives
//       WINGBEAT_FN static functor::operands completed(operands);  // the others are 0
//     };
#pragma once

#include "wingbeat/device/port.hpp"  // WINGBEAT_FN, WINGBEAT_GLOBAL, size

namespace wingbeat::device::functors {

/// The operands of a functor without any.
struct no_operands {
  template <class Numbers, class Visit>
  WINGBEAT_FN static void each(const Numbers&, Visit) {}
};

/// See ends/functor_contract.hpp.
template <class Policy>
struct fixed {
  using row_functor = typename Policy::functor;
  using element = typename row_functor::element;
  using operands = typename Policy::operands;
  static constexpr bool in_order = row_functor::in_order;
  WINGBEAT_FN static constexpr auto numbers() { return Policy::numbers(); }

  template <class Element>
  WINGBEAT_FN static row_functor of_row(WINGBEAT_GLOBAL Element* memory, operands given, size row) {
    return row_functor{Policy::numbers(), memory, Policy::completed(given), row};
  }
  /// For functors that keep what they store: see ends/keep.hpp.
  template <class Kept, class Visit>
  WINGBEAT_FN static void each_member(Kept& state, Visit visit) {
    row_functor::each_member(state, Policy::numbers(), visit);
  }
  /// For functors that reduce, which are constructed for a partial result: see ends/reduce.hpp.
  template <class Partial>
  WINGBEAT_FN static row_functor of_partial(Partial& sum, operands given, size row) {
    return row_functor{Policy::numbers(), sum, Policy::completed(given), row};
  }
  WINGBEAT_FN static auto start() { return row_functor::memory::start(); }
  template <class Partial, class Other>
  WINGBEAT_FN static void combine(Partial& sum, Other other) {
    row_functor::memory::combine(sum, other);
  }
};

}  // namespace wingbeat::device::functors
