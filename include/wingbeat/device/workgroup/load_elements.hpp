// SPDX-License-Identifier: Apache-2.0
// Loads the elements of a thread.
#pragma once

#include "wingbeat/device/half.hpp"                // widen
#include "wingbeat/device/port.hpp"                // WINGBEAT_FN, WINGBEAT_UNROLL
#include "wingbeat/device/workgroup/contract.hpp"  // is_filling

namespace wingbeat::device::workgroup {

/// Sets z[r] to element first + r Step for r below Live, and the others to 0.
template <class Value, unsigned Live, unsigned Step, class Load, class Register, unsigned E>
WINGBEAT_FN void load_elements(const Load& load, unsigned first, Register (&z)[E]) {
  if constexpr (contract::is_filling<Load>) {
    Value values[Live];
    load.template fill<Live, Step>(first, values);
    WINGBEAT_UNROLL
    for (unsigned r = 0; r < Live; ++r) z[r] = widen(values[r]);
  } else {
    WINGBEAT_UNROLL
    for (unsigned r = 0; r < Live; ++r) {
      const Value value = load(first + r * Step);
      z[r] = widen(value);
    }
  }
  WINGBEAT_UNROLL
  for (unsigned r = Live; r < E; ++r) z[r] = {};
}

}  // namespace wingbeat::device::workgroup
