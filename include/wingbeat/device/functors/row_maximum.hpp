// SPDX-License-Identifier: Apache-2.0
// Loads the largest elements of parts of rows.
#pragma once

#include "wingbeat/device/functors/fixed.hpp"  // fixed, no_operands
#include "wingbeat/device/port.hpp"            // WINGBEAT_FN, WINGBEAT_GLOBAL, size

namespace wingbeat::device::functors {

struct row_limit_numbers {
  size elements = 1;  ///< Of a row.
  size parts = 1;     ///< Parts of a row, of which each has a largest element.
  double range = 0;

  template <class Visit>
  WINGBEAT_FN void each(Visit visit) const {
    visit("elements", elements);
    visit("parts", parts);
    visit("range", range);
  }
};

/// Element p of a row is the largest element of part p; NaN only if part p holds no number.
template <class Real>
class row_maximum {
 public:
  using numbers = row_limit_numbers;
  using element = Real;
  using operands = no_operands;
  static constexpr bool in_order = false;

  WINGBEAT_FN row_maximum(const numbers& n, WINGBEAT_GLOBAL const element* in, operands, size row)
      : numbers_(n), in_(in + row * n.elements) {}
  WINGBEAT_FN Real load(size part) const {
    Real most = in_[part < numbers_.elements ? part : 0];
    for (size i = part; i < numbers_.elements; i += numbers_.parts) {
      most = in_[i] > most || most != most ? in_[i] : most;
    }
    return most;
  }

 private:
  numbers numbers_;
  WINGBEAT_GLOBAL const element* in_;
};

}  // namespace wingbeat::device::functors
